import http from 'node:http'
import { isUpToDate } from '../http/responses.ts'

/** One request and what came back, as bytes on the wire would tell it. */
export interface Exchange {
  status: number
  headers: Record<string, string>
  body: string
}

export interface Question {
  method?: string
  key?: string | undefined
  headers?: Record<string, string>
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 6 })

/** Asks `path` exactly as it is written: `fetch` would tidy it up. */
export function sendRequest(
  url: string,
  path: string,
  { method = 'GET', key, headers = {} }: Question = {},
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
          // A stream goes on for ever: what it tells of the past is the answer.
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

export const hangUp = (): void => agent.destroy()

/** Headers that belong to the call, and not to what was asked. */
const ofTheCall = /^(date|x-request-id|x-ratelimit-.*)$/

/** An exchange without what differs from call to call: two of them are equal where they tell the same. */
export function textOf({ status, headers, body }: Exchange): string {
  const kept = Object.entries(headers).filter(([name]) => !ofTheCall.test(name))
  const lines = kept.map(([name, value]) => `${name}: ${value}`).sort()
  return [status, ...lines, '', body.replace(/"request_id":"[^"]*"/, '"request_id":"…"')].join('\n')
}

/** Runs work on each item, some at once. Ends when all of it has ended, also where some failed. */
export async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 6,
): Promise<void> {
  const waiting = items.values()
  const run = async () => {
    for (const item of waiting) await work(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, run))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}
