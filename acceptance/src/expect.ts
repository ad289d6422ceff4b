import assert from 'node:assert/strict'
import type { Exchange } from './exchange.ts'
import { dig, digList, digText, type JsonObject } from './json.ts'
import { assertShape, name, object, type Shape } from './shape.ts'

/** Request and response in one line, for messages. */
export const describeExchange = ({ method, url, status, json }: Exchange) =>
  `${method} ${url} → ${status} ${JSON.stringify(json)?.slice(0, 200) ?? ''}`

export function expectStatus(exchange: Exchange, status: number): Exchange {
  assert.equal(exchange.status, status, describeExchange(exchange))
  return exchange
}

/** The body of a 200 that has a shape. */
export function expectBody(exchange: Exchange, shape: Shape): unknown {
  expectStatus(exchange, 200)
  assertShape(shape, exchange.json, 'body', `${exchange.method} ${exchange.url}`)
  return exchange.json
}

/** The items of a 200 with a list. */
export function expectItems(exchange: Exchange): JsonObject[] {
  expectStatus(exchange, 200)
  return digList(exchange.json, 'data')
}

export const errorShape = object({ error: object({ code: name, message: name, request_id: name }) })

/** An error as every error is: exactly code, message and request_id, the last one also in the header. Returns the message. */
export function expectError(exchange: Exchange, status: number, code: string): string {
  expectStatus(exchange, status)
  assertShape(errorShape, exchange.json, 'body', describeExchange(exchange))
  assert.equal(dig(exchange.json, 'error.code'), code, describeExchange(exchange))
  assert.equal(
    dig(exchange.json, 'error.request_id'),
    exchange.responseHeaders['x-request-id'],
    `${describeExchange(exchange)}: request_id must be the x-request-id header`,
  )
  return digText(exchange.json, 'error.message')
}

/** A header that must be a whole number, as that number. */
export function headerNumber(exchange: Exchange, header: string): number {
  const value = exchange.responseHeaders[header]
  assert.match(
    String(value),
    /^[0-9]+$/,
    `${describeExchange(exchange)}: ${header} must be a whole number, not ${value}`,
  )
  return Number(value)
}
