/** Random choices, the same for the same seed. */
export interface FaultSchedule {
  seed: number
  /** From 0 to below 1. */
  fraction(): number
  pick<T>(choices: readonly T[]): T
}

/** CHANCERY_SEED repeats the choices of a failed run. */
export function drawFaultSchedule(
  seed = Number(process.env.CHANCERY_SEED ?? Math.floor(Math.random() * 2 ** 31)),
): FaultSchedule {
  let state = seed
  // Mulberry32.
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    seed,
    fraction,
    pick<T>(choices: readonly T[]): T {
      return choices[Math.floor(fraction() * choices.length)] as T
    },
  }
}
