import type { Failure, Probe } from './probe.ts'
import { asCurl, ProbeError, type Session } from './session.ts'

export interface RunOptions {
  seed: number
  /** The approximate number of requests; shrinking a failure sends more. */
  requests: number
  /** Only probes whose name contains this text. */
  only?: string
  /** Called for each failure. */
  onFailure(text: string): void
}

/** Concurrent probes: while one waits for a response, another checks its own. */
const lanes = 3

/** Runs all probes, and returns the number of failures. The same seed draws the same calls. */
export async function runProbes(
  session: Pick<Session, 'api'>,
  probes: readonly Probe[],
  { seed, requests, only = '', onFailure }: RunOptions,
): Promise<number> {
  const weights = probes.reduce((sum, { weight }) => sum + weight, 0)
  const waiting = probes.entries().filter(([, { name }]) => name.includes(only))
  let failures = 0
  const lane = async () => {
    for (const [index, { name, weight, cost, run }] of waiting) {
      const runs = Math.max(1, Math.round((requests * weight) / weights / cost))
      const failure = await run({ seed: (seed + index * 7_919) | 0, runs })
      if (!failure) continue
      failures += 1
      onFailure(describeFailure(session.api.origin, name, failure))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return failures
}

function describeFailure(origin: string, name: string, { error, shrinks }: Failure): string {
  if (!(error instanceof ProbeError)) return `${name}: ${error instanceof Error ? error.stack : error}`
  return [
    name,
    ...error.problems.slice(0, 10).map(problem => `  ${problem}`),
    `  ${asCurl(origin, error.call)}`,
    `  (shrunk ${shrinks} times)`,
  ].join('\n')
}
