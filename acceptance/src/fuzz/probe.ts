import fc from 'fast-check'

/** A property that is checked with many draws. */
export interface Probe {
  name: string
  /** Its share of all requests, relative to other probes. */
  weight: number
  /** Requests that one draw takes. */
  cost: number
  run(options: { seed: number; runs: number }): Promise<Failure | undefined>
}

/** The smallest draw that fails. */
export interface Failure {
  error: unknown
  shrinks: number
}

/** `check` throws if a response is wrong; then the draw is shrunk. */
export function probe<T>(about: {
  name: string
  weight: number
  cost?: number
  draws: fc.Arbitrary<T>
  check(draw: T): Promise<void>
}): Probe {
  const { name, weight, cost = 1, draws, check } = about
  return {
    name,
    weight,
    cost,
    async run({ seed, runs }) {
      const found = await fc.check(fc.asyncProperty(draws, check), { seed, numRuns: runs })
      return found.failed ? { error: found.errorInstance, shrinks: found.numShrinks } : undefined
    },
  }
}
