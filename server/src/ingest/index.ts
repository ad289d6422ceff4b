export {
  type DroppedDeadLetter,
  listDroppedDeadLetters,
} from './dead-letter-limits.ts'
export {
  deleteDeadLetter,
  deleteOldBatchIds,
  deleteOldDeadLetters,
  findDeadLetter,
  listDeadLetters,
} from './dead-letters.ts'
export { findFeed } from './feeds.ts'
export type { Outcome } from './outcome.ts'
export type { IngestContext, ReceiveOptions } from './process-batch.ts'
export { checkFacts, receiveFacts } from './receive.ts'
export { receiveBatch } from './receive-batch.ts'
export { redriveDeadLetter } from './retry-refused.ts'
export { removeTemporaryLeftovers } from './temporary-file.ts'
export { createFactValidator, isRejected } from './validate-fact.ts'
