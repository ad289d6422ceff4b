import { type Members, membersOf } from './members.ts'

export const deliveryStates = ['pending', 'sending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** One try to deliver. */
export interface AttemptRecord {
  number: number
  attempted_at: string
  latency_ms: number
  /** Null where there was no answer, and `error` says why. */
  status: number | null
  error: string | null
  answer: string | null
}

/** What became of one event for one endpoint. */
export interface DeliveryRecord {
  id: string
  /** Null for a test. */
  event_id: string | null
  type: string
  state: DeliveryState
  created_at: string
  next_at: string | null
  /** Newest first. */
  attempts: AttemptRecord[]
}

/** Throws a CommandError for what no Chancery says. */
export const readDeliveries = (answer: unknown): DeliveryRecord[] =>
  membersOf(answer, 'a delivery').list('data').map(deliveryOf)

function deliveryOf({ text, textOrNull, oneOf, list }: Members): DeliveryRecord {
  return {
    id: text('id'),
    event_id: textOrNull('event_id'),
    type: text('type'),
    state: oneOf('state', deliveryStates),
    created_at: text('created_at'),
    next_at: textOrNull('next_at'),
    attempts: list('attempts').map(attemptOf),
  }
}

function attemptOf({ text, textOrNull, number, numberOrNull }: Members): AttemptRecord {
  return {
    number: number('number'),
    attempted_at: text('attempted_at'),
    latency_ms: number('latency_ms'),
    status: numberOrNull('status'),
    error: textOrNull('error'),
    answer: textOrNull('answer'),
  }
}
