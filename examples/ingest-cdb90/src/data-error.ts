/** What is wrong with the data, and where, in one line: `battle_dyads.csv:12: …`. */
export class DataError extends Error {
  override name = 'DataError'
}
