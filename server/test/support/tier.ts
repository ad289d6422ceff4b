type Tier = 'quick' | 'full' | 'long'

/** What `tools/test.ts` runs; a file that is run by hand draws as the full tier does. */
export const tier: Tier = (process.env.CHANCERY_TEST_TIER as Tier | undefined) ?? 'full'

export const isLong = tier === 'long'

const factors = { quick: 0.05, full: 1, long: 10 }

const drawsMin = 3

/** How many worlds a test draws by chance, where it draws so many in the full tier. Their seeds differ from run to run. */
export const randomRuns = (usual: number): number =>
  Math.max(Math.min(usual, drawsMin), Math.ceil(factors[tier] * usual))

/**
 * Whether another may still be begun: on a busy machine one has to do. Call it where the first begins; a full run takes the time that it
 * takes.
 */
export function whileBegunWithin(ms: number): () => boolean {
  const endsAt = performance.now() + factors[tier] * ms
  return () => performance.now() < endsAt
}
