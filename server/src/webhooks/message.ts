import { webhooks } from '@chancery/contract'
import type { WriteEvent } from '../disclosure/event-writer.ts'
import type { Event } from '../events/store.ts'
import type { Message } from './outbound/sender.ts'
import { sign } from './signature.ts'

/** Where a message goes, and what signs it. */
export interface Recipient {
  url: string
  /** The newest first: the current one, and those that were rotated and still sign. */
  secrets: readonly string[]
}

/** Writes messages: the same body and id on every attempt, signed anew each time. */
export type WriteMessage = (event: Event, address: Recipient, nowMs: number) => Message

export function createMessageWriter(writeEvent: WriteEvent, version: string): WriteMessage {
  const userAgent = `Chancery/${version}`
  return (event, { url, secrets }, nowMs) => {
    const body = `{"type":${JSON.stringify(event.type)},"timestamp":${JSON.stringify(event.occurred_at)},"data":${writeEvent(event)}}`
    const timestamp = Math.floor(nowMs / 1000)
    return {
      url,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': userAgent,
        [webhooks.idHeader]: event.id,
        [webhooks.timestampHeader]: String(timestamp),
        [webhooks.signatureHeader]: sign({ id: event.id, timestamp, body }, secrets),
      },
      body,
    }
  }
}
