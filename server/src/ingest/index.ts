/**
 * Ingestion: the only way in for world data. It validates facts, applies each batch in one transaction (all of it or nothing, exactly
 * once by id and content), derives its events, and keeps rejected batches in the dead-letter store. A batch is acknowledged when it is
 * durable. Read `receive.ts` (the stream), then `apply-batch.ts` (the transaction) and `changes.ts` (merging); `batch.ts` has the types.
 */
export {
  deleteDeadLetter,
  deleteOldBatchIds,
  deleteOldDeadLetters,
  findDeadLetter,
  listDeadLetters,
  listDroppedDeadLetters,
} from './dead-letters.ts'
export { findFeed } from './feeds.ts'
export type { IngestContext, Outcome, ReceiveOptions } from './process-batch.ts'
export { checkFacts, receiveBatch, receiveFacts, redriveDeadLetter } from './receive.ts'
export { removeTemporaryLeftovers } from './temporary-file.ts'
export { createFactValidator, isRejected } from './validate-fact.ts'
