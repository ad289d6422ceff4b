/**
 * How long something may take that is promised within so many milliseconds, on a machine on which a call that is made beside it takes
 * `callMs`: on a machine at rest it takes less than 50.
 */
export const allowedMs = (promisedMs: number, callMs: number): number => promisedMs * Math.max(1, callMs / 50)
