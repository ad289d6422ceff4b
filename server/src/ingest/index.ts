export { createFactChecker } from './check-fact.ts'
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
