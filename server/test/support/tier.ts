type Tier = 'quick' | 'full' | 'long'

/** Set by `tools/test.ts`; the full tier if a file is run by hand. */
export const tier: Tier = (process.env.CHANCERY_TEST_TIER as Tier | undefined) ?? 'full'

export const isLong = tier === 'long'

const factors = { quick: 0.05, full: 1, long: 10 }

const drawsMin = 3

/** The number of random worlds of a test that has `usual` in the full tier. Seeds differ from run to run. */
export const randomRuns = (usual: number): number =>
  Math.max(Math.min(usual, drawsMin), Math.ceil(factors[tier] * usual))

/** Limits a loop to this much time in the full tier: true while another pass may begin. */
export function whileBegunWithin(ms: number): () => boolean {
  const endsAt = performance.now() + factors[tier] * ms
  return () => performance.now() < endsAt
}
