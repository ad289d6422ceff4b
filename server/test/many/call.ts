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
  /** Keeps connections; without, each call has one of its own. */
  agent?: Agent
}

const againMs = 50

/** One call. Whoever is told to come back, as on a busy machine where the database answers late, does; nothing else is tried again. */
export async function call(url: string, asked: Call = {}): Promise<Called> {
  for (;;) {
    const called = await callOnce(url, asked)
    if (called.status !== 503 || url.endsWith('/readyz')) return called
    await sleep(againMs)
  }
}

function callOnce(url: string, { method = 'GET', headers = {}, body, agent }: Call = {}): Promise<Called> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: agent ?? false }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', part => (text += part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}
