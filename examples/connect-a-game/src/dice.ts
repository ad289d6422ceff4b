/** Random numbers, the same for the same seed (mulberry32). */
export interface Dice {
  /** A whole number from `low` to `high`, both included. */
  roll(low: number, high: number): number
  /** One of a list; undefined if it is empty. */
  pick<T>(list: readonly T[]): T | undefined
}

export function throwDice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const roll = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return { roll, pick: list => list[roll(0, list.length - 1)] }
}
