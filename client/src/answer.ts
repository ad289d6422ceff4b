import { ChanceryError, type ChanceryErrorNotes, CursorExpired } from './errors.ts'

/** An answer that arrived as a whole. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

/** A body of the API: one thing, or a page of things. */
export interface Body {
  data: unknown
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isJson = (headers: Headers) => /^application\/json\b/i.test(headers.get('content-type') ?? '')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The body of a good answer.
 * @throws {ChanceryError} `unexpected_answer` where it is not as the API writes it; `network_error` where its end is missing.
 */
export function bodyOf({ status, headers, text }: Answer): Body {
  const body = parsed(text)
  if (isObject(body) && 'data' in body && isObject(body.data)) return body
  // Without a length, a body that is cut looks like one that is whole: only the parser knows.
  if (status === 200 && body === undefined && isJson(headers))
    throw new ChanceryError('The answer was cut, or is no JSON. Try again.', {
      code: 'network_error',
      status,
    })
  throw unexpected(status, headers)
}

function unexpected(status: number, headers: Headers): ChanceryError {
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type'
  const said = status >= 300 && status < 400 ? 'a redirect, which is not followed' : type
  return new ChanceryError(
    `What answered is not a Chancery, or something stands between: status ${status}, ${said}. Check baseUrl.`,
    { code: 'unexpected_answer', status, retryAfter: retryAfterOf(headers) },
  )
}

/** The error that an answer says. */
export function errorOf({ status, headers, text }: Answer): ChanceryError {
  const body = parsed(text)
  const error = isObject(body) && 'error' in body ? body.error : undefined
  const said = isObject(error) ? (error as Record<string, unknown>) : {}
  const { code, message, request_id: id } = said
  if (typeof code !== 'string' || typeof message !== 'string') return unexpected(status, headers)
  const notes: ChanceryErrorNotes = {
    code,
    status,
    requestId: headers.get('x-request-id') ?? (typeof id === 'string' ? id : undefined),
    retryAfter: retryAfterOf(headers),
  }
  return code === 'cursor_expired' ? new CursorExpired(message, notes) : new ChanceryError(message, notes)
}

/** Seconds, or a date, which is one by the clock of whoever answered. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const seconds = Math.ceil((Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
