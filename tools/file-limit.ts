/**
 * Loaded into the process of each file of tests: one that has not ended after CHANCERY_TEST_FILE_MINUTES is ended, as failed, and says
 * what kept it. The runner itself waits for ever: its own limit is for tests, not for what they leave running.
 */
const minutes = Number(process.env.CHANCERY_TEST_FILE_MINUTES)

if (process.env.NODE_TEST_CONTEXT === 'child-v8' && minutes > 0) {
  setTimeout(() => {
    const kept = [...new Set(process.getActiveResourcesInfo())].join(', ')
    console.error(`${process.argv[1]} has not ended after ${minutes} minutes. What is open: ${kept}`)
    process.exit(1)
  }, minutes * 60_000).unref()
}
