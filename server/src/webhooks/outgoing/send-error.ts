/** Words of the delivery log for why there was no answer. */
export type SendErrorCode =
  | 'timed_out'
  | 'name_not_found'
  | 'address_not_public'
  | 'connection_failed'
  | 'tls_failed'
  | 'closed_early'
  | 'not_http'
  | 'stopped'
  | 'url_not_allowed'

/** A failure that knows its word. It says nothing else: URLs and addresses are the endpoint's owner's. */
export class SendError extends Error {
  override name = 'SendError'
  readonly code: SendErrorCode

  constructor(reason: SendErrorCode) {
    super(reason)
    this.code = reason
  }
}

/** Broken headers after a Content-Length are taken for a broken body. */
const notHttp = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])

/** The word for what went wrong on a connection that stood, or the failure's own. */
export function sendErrorCodeOf(error: Error & { code?: unknown }): SendErrorCode {
  if (error instanceof SendError) return error.code
  const code = String(error.code)
  // TLS 1.3 tells a client only after the handshake that its certificate is wanted.
  if (code.startsWith('ERR_SSL_')) return 'tls_failed'
  if (error.name === 'HTTPParserError' || notHttp.has(code)) return 'not_http'
  // An answer that nobody asked for: a switch of protocols, or a second one on the same connection.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) return 'not_http'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return 'closed_early'
  return 'connection_failed'
}
