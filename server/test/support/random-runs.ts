const isFull = process.env.CHANCERY_FAULTS === 'full'

/**
 * How many worlds a test draws by chance: a few in each run, whose seeds differ from run to run, and ten times as many where all is run
 * in full.
 */
export const randomRuns = (usual: number): number => (isFull ? 10 * usual : usual)

/**
 * Whether another may still be begun: on a busy machine one has to do. Call it where the first begins; a full run takes the time that it
 * takes.
 */
export function whileBegunWithin(ms: number): () => boolean {
  const endsAt = performance.now() + (isFull ? 10 * ms : ms)
  return () => performance.now() < endsAt
}
