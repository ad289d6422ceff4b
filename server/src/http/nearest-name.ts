/**
 * The edit distance of two texts: how many letters have to be added, removed, replaced or swapped with their neighbour; `max + 1` where it
 * is more than `max`. Takes time in proportion to the product of both lengths.
 */
export function editDistance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let least = row
    for (let at = 1; at <= other.length; at += 1) {
      const cost = one[row - 1] === other[at - 1] ? 0 : 1
      let distance = Math.min((last[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + cost)
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1])
        distance = Math.min(distance, (beforeLast[at - 2] ?? 0) + 1)
      current.push(distance)
      least = Math.min(least, distance)
    }
    if (least > max) return max + 1
    ;[beforeLast, last] = [last, current]
  }
  return Math.min(last[other.length] ?? 0, max + 1)
}

/** The most similar known name; undefined where less than two thirds of the letters agree with any. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Math.ceil(name.length / 3)
  for (const candidate of known) {
    const distance = editDistance(name, candidate, least)
    if (distance < least) [least, nearest] = [distance, candidate]
  }
  return nearest
}
