import http, { type Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

interface Called {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Keeps connections; default: a connection per request. */
  agent?: Agent
}

const againMs = 50

/** When the last response over a kept connection ended. */
const usedAt = new WeakMap<Agent, number>()

/** A request without a response. */
export class CallError extends Error {
  readonly code: string | undefined
  /** How long its kept connection had been idle; 0 for a new connection. */
  readonly idleMs: number

  constructor(call: string, idleMs: number, cause: Error & { code?: string }) {
    const connection = idleMs > 0 ? `a connection idle for ${Math.round(idleMs)} ms` : 'a new connection'
    super(`${call} over ${connection}: ${cause.message}`, { cause })
    this.code = cause.code
    this.idleMs = idleMs
  }
}

/** Sends one request. Only a 503, as on a busy machine with a late database, is retried. @throws {CallError} */
export async function call(url: string, request: Call = {}): Promise<Called> {
  for (;;) {
    const called = await callOnce(url, request)
    if (called.status !== 503 || url.endsWith('/readyz')) return called
    await sleep(againMs)
  }
}

function callOnce(url: string, { method = 'GET', headers = {}, body, agent }: Call = {}): Promise<Called> {
  const sentAt = performance.now()
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: agent ?? false }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', part => (text += part))
      response.on('error', reject)
      response.on('end', () => {
        if (agent) usedAt.set(agent, performance.now())
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
      })
    })
    request.on('error', error => {
      const idleMs = agent && request.reusedSocket ? sentAt - (usedAt.get(agent) ?? sentAt) : 0
      reject(new CallError(`${method} ${url}`, idleMs, error))
    })
    request.end(body)
  })
}
