/**
 * Loaded into each process of tests: one that has not ended after CHANCERY_TEST_FILE_MINUTES is ended, as failed, and says what kept it.
 * The runner itself waits for ever: its own limit is for tests, not for what they leave running.
 */
export function endAfter(minutes: number): void {
  setTimeout(() => {
    const kept = [...new Set(process.getActiveResourcesInfo())].join(', ')
    console.error(`${process.argv[1]} has not ended after ${minutes} minutes. What is open: ${kept}`)
    process.exit(1)
  }, minutes * 60_000).unref()
}

const minutes = Number(process.env.CHANCERY_TEST_FILE_MINUTES)
const { NODE_TEST_CONTEXT: context, CHANCERY_TEST_SCRATCH: shared } = process.env
/** A process that many files share sets its limit when it has run the last. */
const isShared = shared !== undefined && process.argv[1]?.startsWith(shared)

if (context === 'child-v8' && minutes > 0 && !isShared) endAfter(minutes)
