/**
 * Imported by each test process. Ends one that has not ended after CHANCERY_TEST_FILE_MINUTES, as failed, with its open resources. The
 * runner's own timeout applies to tests, not to resources that they leave open.
 */
export function endAfter(minutes: number): void {
  setTimeout(() => {
    const resources = [...new Set(process.getActiveResourcesInfo())].join(', ')
    console.error(`${process.argv[1]} has not ended after ${minutes} minutes. Open resources: ${resources}`)
    process.exit(1)
  }, minutes * 60_000).unref()
}

const minutes = Number(process.env.CHANCERY_TEST_FILE_MINUTES)
const { NODE_TEST_CONTEXT: context, CHANCERY_TEST_SCRATCH: shared } = process.env
/** A process that many files share sets its limit when it has run the last. */
const isShared = shared !== undefined && process.argv[1]?.startsWith(shared)

if (context === 'child-v8' && minutes > 0 && !isShared) endAfter(minutes)
