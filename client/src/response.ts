import { ChanceryError, type ChanceryErrorDetails, CursorExpired } from './errors.ts'

/** A completely received response. */
export interface ReceivedResponse {
  status: number
  headers: Headers
  text: string
}

/** A body of the API: an item, or a page of items. */
export interface Body {
  data: unknown
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isJson = (headers: Headers) => /^application\/json\b/i.test(headers.get('content-type') ?? '')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The body of a successful response.
 * @throws {ChanceryError} `unexpected_response` if it is not one of the API; `network_error` if it is truncated.
 */
export function parseBody({ status, headers, text }: ReceivedResponse): Body {
  const body = parseJson(text)
  if (isObject(body) && 'data' in body && isObject(body.data)) return body
  // Without a content length, only the parser notices a truncated body.
  if (status === 200 && body === undefined && isJson(headers))
    throw new ChanceryError('The response is truncated or not valid JSON. Try again.', {
      code: 'network_error',
      status,
    })
  throw unexpectedResponse(status, headers)
}

function unexpectedResponse(status: number, headers: Headers): ChanceryError {
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type'
  const found = status >= 300 && status < 400 ? 'a redirect, which is not followed' : type
  return new ChanceryError(`The response is not from Chancery: status ${status}, ${found}. Check baseUrl.`, {
    code: 'unexpected_response',
    status,
    retryAfter: retryAfterOf(headers),
  })
}

/** The error in a response. */
export function parseError({ status, headers, text }: ReceivedResponse): ChanceryError {
  const body = parseJson(text)
  const error = isObject(body) && 'error' in body ? body.error : undefined
  const fields = isObject(error) ? (error as Record<string, unknown>) : {}
  const { code, message, request_id: id } = fields
  if (typeof code !== 'string' || typeof message !== 'string') return unexpectedResponse(status, headers)
  const details: ChanceryErrorDetails = {
    code,
    status,
    requestId: headers.get('x-request-id') ?? (typeof id === 'string' ? id : undefined),
    retryAfter: retryAfterOf(headers),
  }
  return code === 'cursor_expired' ? new CursorExpired(message, details) : new ChanceryError(message, details)
}

/** Seconds, or a date by the server's clock. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const seconds = Math.ceil((Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
