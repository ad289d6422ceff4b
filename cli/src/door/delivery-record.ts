import { deliveryStates, type WebhookAttempt, type WebhookDelivery } from '@chancery/contract'
import { type Members, membersOf } from './members.ts'

/** What the commands show of a try to deliver. */
export type AttemptRecord = Omit<WebhookAttempt, 'next_at'>

/** What the commands show of a delivery. */
export type DeliveryRecord = Omit<WebhookDelivery, 'settled_at' | 'attempts'> & { attempts: AttemptRecord[] }

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
