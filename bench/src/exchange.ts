import { request } from 'node:http'
import type { Ask } from './ask.ts'

/** An answer as it came, to be compared with others or given again. */
export interface Answer {
  status: number
  /** In the order and spelling of the wire, without those that are of the connection. */
  headers: [name: string, value: string][]
  body: Buffer
}

/** Node writes these by itself, for every server on it. */
const ofConnection = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding'])

/** Asks once, on a connection of its own, with the headers of the load and no other. */
export function exchange(url: string, { path, headers, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    }
    const req = request(url, options, res => {
      const chunks: Buffer[] = []
      res.on('data', chunk => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const raw = res.rawHeaders
        const pairs = Array.from(
          { length: raw.length / 2 },
          (_, index) => [raw[index * 2] ?? '', raw[index * 2 + 1] ?? ''] as [string, string],
        )
        resolve({
          status: res.statusCode ?? 0,
          headers: pairs.filter(([name]) => !ofConnection.has(name.toLowerCase())),
          body: Buffer.concat(chunks),
        })
      })
    })
    req.on('error', reject)
    req.end(body)
  })
}

export const headerOf = ({ headers }: Answer, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
