import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'

// The other end of `bench push`, in a process of its own. As a receiver it reads every message and responds with 204; below `slowPath`
// it responds after 14 s, test events excepted. As a sender it posts recorded messages in a bare loop, which is the most that is possible.

/** Endpoints below it are slow, and are not counted. */
export const slowPath = '/slow/'

/** A signed message as received. */
export interface Message {
  headers: Record<string, string>
  body: string
}

export type ChildRequest =
  | { kind: 'report' }
  | { kind: 'reset' }
  | { kind: 'post'; url: string; messages: Message[]; count: number; concurrency: number }

export interface ReceiverReport {
  count: number
  /** Milliseconds since the epoch, with fractions. */
  lastMs: number
  /** The arrivals and some of the messages since the last reset; with `reset` only. */
  arrivals: [seq: number, endpoint: string, atMs: number][]
  messages: Message[]
}

const messagesMax = 2_000
/** Just within the timeout of an attempt. */
const slowMs = 14_000

function startReceiver(): void {
  let arrivals: ReceiverReport['arrivals'] = []
  let count = 0
  let lastMs = 0
  const messages: Message[] = []

  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk))
    req.on('end', () => {
      const atMs = performance.timeOrigin + performance.now()
      const id = String(req.headers['webhook-id'])
      const isTest = id.startsWith('evt_test_')
      const endpoint = req.url ?? ''
      if (!isTest && endpoint.startsWith(slowPath)) {
        setTimeout(() => res.writeHead(204).end(), slowMs)
        return
      }
      res.writeHead(204).end()
      if (isTest) return
      count += 1
      lastMs = atMs
      if (endpoint === '/bare') return
      arrivals.push([Number(id.slice('evt_'.length)), endpoint, atMs])
      if (messages.length >= messagesMax) return
      const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
      const headers = Object.fromEntries(names.map(name => [name, String(req.headers[name])]))
      messages.push({ headers, body: Buffer.concat(chunks).toString() })
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

  process.on('message', async (request: ChildRequest) => {
    if (request.kind === 'post') return
    const isReset = request.kind === 'reset'
    process.send?.({ count, lastMs, arrivals: isReset ? arrivals : [], messages: isReset ? messages : [] })
    if (isReset) {
      arrivals = []
      count = 0
    }
  })
}

function startSender(): void {
  process.on('message', async (request: ChildRequest) => {
    if (request.kind !== 'post') return
    const { url, messages, count, concurrency } = request
    const agent = new Agent({ connections: concurrency })
    const { origin, pathname } = new URL(url)
    let next = 0
    async function post(): Promise<void> {
      while (next < count) {
        const { headers, body } = messages[next++ % messages.length] ?? { headers: {}, body: '' }
        const response = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
        await response.body.dump()
      }
    }
    const startedMs = performance.now()
    await Promise.all(Array.from({ length: concurrency }, post))
    process.send?.({ perSecond: count / ((performance.now() - startedMs) / 1000) })
    await agent.close()
  })
  process.send?.({ port: 0 })
}

if (process.send) {
  if (JSON.parse(process.argv[2] ?? '{}').role === 'receiver') startReceiver()
  else startSender()
}
