import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Event } from '../events/cases.ts'
import type { Received } from '../support/webhook-receiver.ts'

/** What a message says. */
export interface Payload {
  type: string
  timestamp: string
  data: Event
}

/** Whether a secret signed a message, by the words of the specification: base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(expected)
}

/** What a message says, after the package that developers use has verified it. Fails where either finds it unsigned. */
export function verified(secret: string, received: Received): Payload {
  assert.ok(isSignedBy(secret, received), `${received.id} is not signed by the specification`)
  return new Webhook(secret).verify(received.body, received.headers as Record<string, string>) as Payload
}

/** The event in a message, as the bytes that stand there. */
export const dataOf = ({ body }: Received): string =>
  /^\{"type":"[^"]+","timestamp":"[^"]+","data":(.+)\}$/s.exec(body)?.[1] ?? ''
