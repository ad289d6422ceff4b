export { createFactChecker } from './check-fact.ts'
export type { Outcome } from './outcome.ts'
export { checkFacts, type IngestContext, receiveBatch, receiveFacts } from './receive.ts'
