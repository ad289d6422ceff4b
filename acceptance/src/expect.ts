import assert from 'node:assert/strict'
import type { Exchange } from './exchange.ts'
import { dig, digList, digText, isRecord, type JsonObject } from './json.ts'

/** Request and response in one line, for messages. */
export const describeExchange = ({ method, url, status, json }: Exchange) =>
  `${method} ${url} → ${status} ${JSON.stringify(json)?.slice(0, 200) ?? ''}`

export function expectStatus(exchange: Exchange, status: number): Exchange {
  assert.equal(exchange.status, status, describeExchange(exchange))
  return exchange
}

/** The items of a 200 with a list. */
export function expectItems(exchange: Exchange): JsonObject[] {
  expectStatus(exchange, 200)
  return digList(exchange.json, 'data')
}

/** Whether the body is exactly an error with code, message and the request id of the header. */
export function isErrorBody({ json, responseHeaders }: Exchange): boolean {
  const error = dig(json, 'error')
  if (!isRecord(json) || !isRecord(error) || Object.keys(json).length > 1) return false
  const isText = (name: string) => typeof error[name] === 'string' && error[name] !== ''
  const names = ['code', 'message', 'request_id']
  const isExact = names.every(isText) && Object.keys(error).length === names.length
  return isExact && error.request_id === responseHeaders['x-request-id']
}

/** Expects an error with this code. Returns the message. */
export function expectError(exchange: Exchange, status: number, code: string): string {
  expectStatus(exchange, status)
  assert.ok(isErrorBody(exchange), describeExchange(exchange))
  assert.equal(dig(exchange.json, 'error.code'), code, describeExchange(exchange))
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
