import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Event } from '../events/log-model.ts'
import type { Received } from '../support/webhook-receiver.ts'

/** The body of a message. */
export interface Payload {
  type: string
  timestamp: string
  data: Event
}

/** Whether a secret signed a message, by the specification: base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function isSignedBy(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(expected)
}

/** The body of a message, verified by the specification and by the package that developers use. */
export function verified(secret: string, received: Received): Payload {
  assert.ok(isSignedBy(secret, received), `${received.id} is not signed by the specification`)
  return new Webhook(secret).verify(received.body, received.headers as Record<string, string>) as Payload
}

/** The JSON text of the event in a message. */
export const eventJsonOf = ({ body }: Received): string =>
  /^\{"type":"[^"]+","timestamp":"[^"]+","data":(.+)\}$/s.exec(body)?.[1] ?? ''
