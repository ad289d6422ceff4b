export { createFactChecker, isRefused } from './check-fact.ts'
export { type Dropping, listDropped } from './dead-letter-limits.ts'
export { findFeed } from './feeds.ts'
export type { Outcome } from './outcome.ts'
export { checkFacts, receiveFacts } from './receive.ts'
export { receiveBatch } from './receive-batch.ts'
export {
  dropRefused,
  findRefused,
  forgetOldBatches,
  forgetOldRefused,
  listRefused,
} from './refused.ts'
export { retryRefused } from './retry-refused.ts'
export type { IngestContext, ReceiveOptions } from './settle-batch.ts'
export { removeTemporaryLeftovers } from './temporary-file.ts'
