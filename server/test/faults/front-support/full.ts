/** Whether the faults are run in full, as `npm run test:faults` does; else only as much as every run of the tests can wait for. */
export const isFull = process.env.CHANCERY_FAULTS === 'full'
