import http from 'node:http'
import { isUpToDate } from '../http/responses.ts'

/** A response as it came over the wire. */
export interface Exchange {
  status: number
  headers: Record<string, string>
  body: string
}

export interface RequestOptions {
  method?: string
  key?: string | undefined
  headers?: Record<string, string>
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 6 })

/** Requests `path` unchanged: `fetch` would normalize it. */
export function sendRequest(
  url: string,
  path: string,
  { method = 'GET', key, headers = {} }: RequestOptions = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url)
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return new Promise((resolve, reject) => {
    const request = http.request(
      { hostname, port, path, method, agent, headers: { ...authorization, ...headers } },
      response => {
        const parts: Buffer[] = []
        const body = () => Buffer.concat(parts).toString()
        const finish = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            ),
            body: body(),
          })
        const isStream = response.headers['content-type'] === 'text/event-stream'
        response.on('data', part => {
          parts.push(part)
          // A stream does not end: its past events are the response.
          if (!isStream || !isUpToDate(body())) return
          finish()
          request.destroy()
        })
        response.on('error', reject)
        response.on('end', finish)
      },
    )
    request.on('error', reject)
    request.end()
  })
}

export const closeConnections = (): void => agent.destroy()

/** Headers that differ between requests. */
const perRequest = /^(date|x-request-id|x-ratelimit-.*)$/

/** A response as text, without the parts that differ between requests. */
export function textOf({ status, headers, body }: Exchange): string {
  const kept = Object.entries(headers).filter(([name]) => !perRequest.test(name))
  const lines = kept.map(([name, value]) => `${name}: ${value}`).sort()
  return [status, ...lines, '', body.replace(/"request_id":"[^"]*"/, '"request_id":"…"')].join('\n')
}

/** Runs work on the items with limited concurrency. Waits for all of it, also if some fails. */
export async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 6,
): Promise<void> {
  const waiting = items.values()
  const run = async () => {
    for (const item of waiting) await work(item)
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, run))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
