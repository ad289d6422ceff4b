import assert from 'node:assert/strict'
import type { WebhookDelivery, WebhookTestResult } from '@chancery/contract'

import type { Endpoint } from '../../src/webhooks/endpoint-store.ts'
import type { TestServer } from '../support/test-server.ts'

/** Whatever can be asked as the operator asks. */
export type Operated = Pick<TestServer, 'operate'>

/** An endpoint as the operator is shown it. */
export interface ShownEndpoint extends Endpoint {
  switches_off_at: string | null
}

export interface AddedEndpoint extends ShownEndpoint {
  secret: string
  test: WebhookTestResult
}

/** Asks the operator listener, and parses what comes. */
export async function operated<T>({ operate }: Operated, method: string, path: string, body?: unknown) {
  const response = await operate(method, path, body)
  return { status: response.status, body: (await response.json()) as T }
}

/** The same, of which it is known that it is done. */
export async function done<T = ShownEndpoint>(
  operator: Operated,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await operated<T>(operator, method, path, body)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Adds an endpoint for a player of its own, unless told whose. */
export const addEndpoint = (operator: Operated, url: string, more: object = {}): Promise<AddedEndpoint> =>
  done(operator, 'POST', '/webhooks', {
    player_id: `player-of-${new URL(url).pathname.slice(1)}`,
    url,
    ...more,
  })

/** Adds an endpoint that hears. */
export async function addHearing(operator: Operated, url: string, more: object = {}): Promise<AddedEndpoint> {
  const endpoint = await addEndpoint(operator, url, more)
  assert.equal(endpoint.status, 'active', JSON.stringify(endpoint.test))
  return endpoint
}

export const findEndpoint = (operator: Operated, id: string): Promise<ShownEndpoint> =>
  done(operator, 'GET', `/webhooks/${id}`)

/** The delivery log of an endpoint, newest first. */
export async function deliveriesOf(
  operator: Operated,
  id: string,
  query = 'limit=100',
): Promise<WebhookDelivery[]> {
  return (await done<{ data: WebhookDelivery[] }>(operator, 'GET', `/webhooks/${id}/deliveries?${query}`))
    .data
}

/** Those of events, without tests. */
export const newsOf = async (operator: Operated, id: string, query?: string): Promise<WebhookDelivery[]> =>
  (await deliveriesOf(operator, id, query)).filter(({ event_id }) => event_id !== null)

/** Asserts that a request is refused with a message for whoever asked. */
export async function assertRefused(
  operator: Operated,
  [method, path, body]: [string, string, unknown?],
  status: number,
  message: RegExp,
): Promise<void> {
  const answer = await operated<{ error?: { code: string; message: string } }>(operator, method, path, body)
  const what = `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`
  assert.equal(answer.status, status, what)
  assert.match(answer.body.error?.message ?? '', message, what)
}
