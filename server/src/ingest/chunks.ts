export const chunkSize = 2_500

/** Some thousands at a time. */
export function* chunksOf<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += chunkSize) yield list.slice(start, start + chunkSize)
}
