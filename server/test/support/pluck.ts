/** The values of one member of each row, or a tuple of several. */
export function pluck<T, K extends keyof T>(rows: readonly T[], key: K): T[K][]
export function pluck<T, const K extends readonly (keyof T)[]>(
  rows: readonly T[],
  ...keys: K
): { -readonly [I in keyof K]: T[K[I]] }[]
export function pluck<T>(rows: readonly T[], ...keys: (keyof T)[]): unknown[] {
  return rows.map(row => (keys.length === 1 ? row[keys[0] as keyof T] : keys.map(key => row[key])))
}
