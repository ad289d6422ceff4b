import assert from 'node:assert/strict'
import { bases, type ErrorCode, errors } from '@chancery/contract'
import type { RawResponse } from './raw.ts'

/** A response from `fetch`, read to its end, or from a socket. */
export type ReceivedResponse = Pick<RawResponse, 'status' | 'headers' | 'body'>

export async function readResponse(response: Response): Promise<ReceivedResponse> {
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: isStream ? await untilUpToDate(response) : await response.text(),
  }
}

/** The part of a stream that repeats past events; the rest has no end. */
async function untilUpToDate({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  // Leaving the loop ends the connection.
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true })
    if (isUpToDate(text)) break
  }
  return text
}

export const isUpToDate = (text: string): boolean => /^: up to date\nid: \d+\n\n/m.test(text)

/** The response headers that pages of other origins can read. */
const exposedHeaders = [
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-reason', 'retry-after'],
  ...['x-request-id', 'etag', 'www-authenticate', 'deprecation', 'sunset', 'date', 'link'],
]

/** Asserts what every response of the API has. */
export function assertResponse({ headers }: ReceivedResponse, what: string): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(headers[name] ?? 'none', /^\d+$/, `${what}: ${name}`)
  }
  assert.match(headers['x-request-id'] ?? 'none', /^[A-Za-z0-9_-]{8,64}$/, `${what}: x-request-id`)
  assert.equal(headers['access-control-allow-origin'], '*', what)
  assert.deepEqual(
    headers['access-control-expose-headers']?.split(', ').sort(),
    exposedHeaders.toSorted(),
    what,
  )
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
}

/** Asserts the shape that every error has. Returns its message. */
export function assertError(response: ReceivedResponse, code: ErrorCode, what: string): string {
  assert.deepEqual([response.status, codeOf(response)], [errors[code].status, code], what)
  assertResponse(response, what)
  const body = JSON.parse(response.body) as { error: { code: string; message: string; request_id: string } }
  assert.deepEqual(Object.keys(body), ['error'], what)
  assert.deepEqual(Object.keys(body.error), ['code', 'message', 'request_id'], what)
  assert.equal(body.error.request_id, response.headers['x-request-id'], what)
  assert.ok(body.error.message.length > 0, what)
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8', what)
  assert.equal(response.headers['cache-control'], 'no-store', what)
  assert.equal(response.headers.etag, undefined, what)
  return body.error.message
}

function codeOf({ body }: ReceivedResponse): string | undefined {
  try {
    return (JSON.parse(body) as { error?: { code?: string } }).error?.code
  } catch {
    return undefined
  }
}

export const remainingOf = ({ headers }: Pick<ReceivedResponse, 'headers'>) =>
  Number(headers['x-ratelimit-remaining'])

/** The requests left to this address. OPTIONS consumes none. */
export const remainingAt = async ({ url }: { url: string }): Promise<number> =>
  remainingOf(await readResponse(await fetch(`${url}${bases.canonical}/nations`, { method: 'OPTIONS' })))

/** Headers that may differ between two responses to the same request. */
const fleeting = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']

export const lastingHeaders = ({ headers }: ReceivedResponse) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !fleeting.includes(name)))
