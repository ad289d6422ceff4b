import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'

/** What is sent: exactly this, with nothing added but Host and Connection. */
export interface SentRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

/** A request and its response. */
export interface Exchange extends SentRequest {
  status: number
  responseHeaders: IncomingHttpHeaders
  bytes: number
  raw: Buffer
  /** The parsed body; undefined where there is none or it is not JSON. */
  json: unknown
  /** Why the body is not UTF-8 JSON. */
  problem: string | undefined
}

const timeoutMs = 20_000

/** Keeps connections to one server. */
export function createTransport() {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 32 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 32 }),
  }

  /** `isEnough`: whether to close a stream, which never ends. */
  function send(sent: SentRequest, isEnough?: (raw: Buffer) => boolean): Promise<Exchange> {
    const isTls = sent.url.startsWith('https:')
    const [, origin = '', path = '/'] = /^(https?:\/\/[^/]+)(.*)$/.exec(sent.url) ?? []
    const { hostname, port } = new URL(origin)
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
    const request = (isTls ? https : http).request(
      {
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path,
        method: sent.method,
        headers: sent.headers,
        agent: isTls ? agents['https:'] : agents['http:'],
        timeout: timeoutMs,
      },
      response => {
        const chunks: Buffer[] = []
        const finish = () => {
          const raw = Buffer.concat(chunks)
          resolve({
            ...sent,
            status: response.statusCode ?? 0,
            responseHeaders: response.headers,
            bytes: raw.length,
            raw,
            ...parse(raw),
          })
        }
        response.on('data', chunk => {
          chunks.push(chunk)
          const isEndless = response.headers['content-type'] === 'text/event-stream'
          if (!isEndless || !isEnough?.(Buffer.concat(chunks))) return
          finish()
          response.destroy()
        })
        response.on('error', reject)
        response.on('end', finish)
      },
    )
    request.on('timeout', () => request.destroy(new Error(`no response within ${timeoutMs / 1000} s`)))
    request.on('error', err => reject(new Error(`${sent.method} ${sent.url}: ${err.message}`)))
    request.end(sent.body)
    return promise
  }

  return {
    send,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function parse(bytes: Buffer): Pick<Exchange, 'json' | 'problem'> {
  if (bytes.length === 0) return { json: undefined, problem: undefined }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { json: JSON.parse(text), problem: undefined }
  } catch (err) {
    return { json: undefined, problem: err instanceof Error ? err.message : String(err) }
  }
}
