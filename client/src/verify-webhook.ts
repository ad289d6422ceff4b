import type { ChanceryEvent, EventCommon } from './api-types.ts'

/**
 * Why a message is rejected.
 * - `missing_header`: webhook-id, webhook-timestamp or webhook-signature is missing.
 * - `invalid_timestamp`: the timestamp is not a whole number.
 * - `outside_tolerance`: it is too old or too new, or your clock is wrong.
 * - `no_matching_signature`: the body was not signed with the secret.
 * - `invalid_body`: the body is signed, but not a message.
 */
export type WebhookErrorCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'outside_tolerance'
  | 'no_matching_signature'
  | 'invalid_body'

/** A message that must not be trusted. Respond with 401. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A message of a webhook. */
export type WebhookMessage =
  | { type: ChanceryEvent['type']; timestamp: string; data: ChanceryEvent }
  /** A test message. It is not in the log, and its `seq` is 0. */
  | { type: 'webhook.test'; timestamp: string; data: EventCommon & { type: 'webhook.test' } }

/** Headers of `fetch` or of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** The permitted difference between the timestamp and this clock, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined
  /** Unix milliseconds. Default: the system’s clock. */
  now?: (() => number) | undefined
}

/**
 * Verifies the signature of a webhook by the Standard Webhooks specification, and parses its body.
 * @param rawBody the bytes as received, not re-serialized JSON.
 * @param secret `whsec_…`, or several during a rotation.
 * @throws {WebhookError} if the message must not be trusted.
 * @throws {TypeError} if a secret is malformed.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const keys = (typeof secret === 'string' ? [secret] : secret).map(keyBytes)
  if (keys.length === 0) throw new TypeError('verifyWebhook requires a secret.')
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const given = header(headers, 'webhook-signature').split(' ')
  if (!/^(0|[1-9]\d{0,11})$/.test(timestamp))
    throw new WebhookError('invalid_timestamp', 'webhook-timestamp is not a whole number of seconds.')
  if (!(Math.abs(Math.floor(now() / 1000) - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookError(
      'outside_tolerance',
      `webhook-timestamp is more than ${toleranceSeconds} seconds from this clock.`,
    )
  const encoder = new TextEncoder()
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : new Uint8Array(rawBody)
  const head = encoder.encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  let isKnown = false
  for (const key of keys) {
    const expected = await signature(key, signed)
    // All are compared, for constant time.
    for (const one of given) isKnown = isEqual(one, expected) || isKnown
  }
  if (!isKnown)
    throw new WebhookError(
      'no_matching_signature',
      'No signature matches: the secret is wrong, or the body was changed.',
    )
  return parse(new TextDecoder().decode(body))
}

function header(headers: WebhookHeaders, name: string): string {
  const value = isLookUp(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '')
    throw new WebhookError('missing_header', `The header ${name} is missing.`)
  return value
}

const isLookUp = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function'

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const text = secret.replace(/^whsec_/, '')
  if (!/^([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text))
    throw new TypeError('The secret must be whsec_ and base64.')
  return Uint8Array.from(atob(text), character => character.charCodeAt(0))
}

async function signature(key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', imported, signed))
  return `v1,${btoa(String.fromCharCode(...bytes))}`
}

/** Compares in constant time. The length is not secret. */
function isEqual(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}

function parse(text: string): WebhookMessage {
  try {
    const message = JSON.parse(text)
    if (typeof message?.type === 'string' && typeof message.data === 'object') return message
  } catch {}
  throw new WebhookError('invalid_body', 'The body is signed, but not a message of Chancery.')
}
