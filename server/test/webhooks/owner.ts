import assert from 'node:assert/strict'
import type { WebhookDelivery, WebhookTestResult } from '@chancery/contract'

import type { Endpoint } from '../../src/webhooks/endpoint-store.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

/** A server whose operator API is requested. */
export type OperatorClient = Pick<TestServer, 'operate'>

/** A server that allows local receivers, and a receiver. Both are closed after the file or suite that calls this. */
export async function startWebhookServer(env: Record<string, string> = {}, databaseUrl?: string) {
  const chancery = closeAfter(await startLocalWebhooks(env, databaseUrl))
  return { chancery, receiver: closeAfter(await startWebhookReceiver()) }
}

/** A server that allows local receivers. */
export const startLocalWebhooks = (
  env: Record<string, string> = {},
  databaseUrl?: string,
): Promise<TestServer> =>
  startTestServer(
    { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true', ...env },
    databaseUrl === undefined ? {} : { databaseUrl },
  )

/** An endpoint as the operator API returns it. */
export interface EndpointView extends Endpoint {
  switches_off_at: string | null
}

export interface AddedEndpoint extends EndpointView {
  secret: string
  test: WebhookTestResult
}

/** Sends a request to the operator API, and parses the response. */
export async function requestOperator<T>(
  { operate }: OperatorClient,
  method: string,
  path: string,
  body?: unknown,
) {
  const response = await operate(method, path, body)
  return { status: response.status, body: (await response.json()) as T }
}

/** The same, and asserts success. */
export async function requestOk<T = EndpointView>(
  operator: OperatorClient,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await requestOperator<T>(operator, method, path, body)
  assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

/** Adds an endpoint of a player named after its path, unless `more` names another. */
export const addEndpoint = (
  operator: OperatorClient,
  url: string,
  more: object = {},
): Promise<AddedEndpoint> =>
  requestOk(operator, 'POST', '/webhooks', {
    player_id: `player-of-${new URL(url).pathname.slice(1)}`,
    url,
    ...more,
  })

/** Adds an endpoint whose test succeeds. */
export async function addActiveEndpoint(
  operator: OperatorClient,
  url: string,
  more: object = {},
): Promise<AddedEndpoint> {
  const endpoint = await addEndpoint(operator, url, more)
  assert.equal(endpoint.status, 'active', JSON.stringify(endpoint.test))
  return endpoint
}

export const findEndpoint = (operator: OperatorClient, id: string): Promise<EndpointView> =>
  requestOk(operator, 'GET', `/webhooks/${id}`)

/** The delivery log of an endpoint, newest first. */
export async function deliveriesOf(
  operator: OperatorClient,
  id: string,
  query = 'limit=100',
): Promise<WebhookDelivery[]> {
  return (
    await requestOk<{ data: WebhookDelivery[] }>(operator, 'GET', `/webhooks/${id}/deliveries?${query}`)
  ).data
}

/** The deliveries of events, without tests. */
export const eventDeliveriesOf = async (
  operator: OperatorClient,
  id: string,
  query?: string,
): Promise<WebhookDelivery[]> =>
  (await deliveriesOf(operator, id, query)).filter(({ event_id }) => event_id !== null)

/** Asserts that a request is rejected with a message. */
export async function assertRejected(
  operator: OperatorClient,
  [method, path, body]: [string, string, unknown?],
  status: number,
  message: RegExp,
): Promise<void> {
  const response = await requestOperator<{ error?: { code: string; message: string } }>(
    operator,
    method,
    path,
    body,
  )
  const what = `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(response.body)}`
  assert.equal(response.status, status, what)
  assert.match(response.body.error?.message ?? '', message, what)
}
