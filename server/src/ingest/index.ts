export { createFactChecker } from './check-fact.ts'
export { checkFacts, type IngestContext, type Outcome, receiveBatch, receiveFacts } from './receive.ts'
