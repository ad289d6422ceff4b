import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { webhooks } from '@chancery/contract'
import { LRUCache } from 'lru-cache'
import type { SerializeEvent } from '../disclosure/disclosure.ts'
import type { Event } from '../events/store.ts'
import type { Message } from './outbound/sender.ts'

/** The URL of an endpoint and the secrets that sign its messages. */
export interface Recipient {
  url: string
  /** Newest first: the current one, and rotated ones that still sign. */
  secrets: readonly string[]
}

/** Builds messages: body and id are the same on every attempt, timestamp and signature are new. */
export type WriteMessage = (event: Event, recipient: Recipient, nowMs: number) => Message

export function createMessageWriter(writeEvent: SerializeEvent, version: string): WriteMessage {
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

interface TestIdentity {
  /** The UUID by which the delivery log names the test. */
  testId: string
  endpointId: string
  /** When it was sent. */
  nowMs: number
}

/** An event with the number 0 that is not in the log. */
export const testEvent = ({ testId, endpointId, nowMs }: TestIdentity): Event => ({
  id: `evt_test_${testId.replaceAll('-', '')}`,
  seq: 0,
  type: webhooks.testType,
  occurred_at: new Date(nowMs).toISOString(),
  summary: 'A test of a webhook endpoint.',
  nation_ids: [],
  alliance_ids: [],
  war_id: null,
  conflict_id: null,
  data: { endpoint_id: endpointId },
})

interface SignedContent {
  id: string
  /** Unix seconds. */
  timestamp: number
  body: string
}

/** Creating a key object takes five times as long as signing with it. There is a secret per endpoint. */
const keys = new LRUCache<string, KeyObject>({
  max: 5_000,
  memoMethod: secret => createSecretKey(Buffer.from(secret.slice(webhooks.secretPrefix.length), 'base64')),
})

/** The value of the signature header: one signature per secret, newest first. */
export const sign = ({ id, timestamp, body }: SignedContent, secrets: readonly string[]): string =>
  secrets
    .map(secret => {
      const hmac = createHmac('sha256', keys.memo(secret)).update(`${id}.${timestamp}.${body}`)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' ')
