export { BatchRejectedError, QueueFullError, SpoolError } from './errors.ts'
export type {
  AnyFacts,
  DeleteFact,
  EventDetails,
  EventFact,
  Fact,
  FactTypes,
  OtherFact,
  PutFact,
} from './facts.ts'
export type { Outcome, RejectedFact } from './outcome.ts'
export { type BatchOptions, openSender, type Sender, type SenderOptions } from './sender.ts'
