import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Post, type ReceiverReport, type ReceiverRequest, slowPath } from './messages.ts'

// A receiver in a process of its own: it reads every message to its end and answers 204, and notes when which came. Below `slowPath`
// it answers after 14 s, tests excepted, and notes nothing.

/** How many messages are kept whole, to be posted again by the bare loop. */
const keptMax = 2_000

/** Just within the time that an attempt has. */
const slowMs = 14_000

let arrivals: [seq: number, endpoint: string, atMs: number][] = []
let count = 0
let firstMs = 0
let lastMs = 0
const kept: Post[] = []

const clockMs = () => performance.timeOrigin + performance.now()

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', chunk => chunks.push(chunk))
  req.on('end', () => {
    const atMs = clockMs()
    const id = String(req.headers['webhook-id'])
    const isTest = id.startsWith('evt_test_')
    if (!isTest && req.url?.startsWith(slowPath)) {
      setTimeout(() => res.writeHead(204).end(), slowMs)
      return
    }
    res.writeHead(204).end()
    if (isTest) return
    const body = Buffer.concat(chunks).toString()
    if (count === 0) firstMs = atMs
    count += 1
    lastMs = atMs
    const endpoint = req.url ?? ''
    if (endpoint === '/bare') return
    arrivals.push([Number(id.slice('evt_'.length)), endpoint, atMs])
    if (kept.length < keptMax) {
      const {
        'webhook-id': _id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      } = req.headers
      kept.push({
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': String(signature),
        },
        body,
      })
    }
  })
})

process.on('message', (request: ReceiverRequest) => {
  const report: ReceiverReport = { count, firstMs, lastMs, arrivals: [], kept: [] }
  if (request === 'take') {
    report.arrivals = arrivals
    report.kept = kept
    arrivals = []
    count = 0
  }
  process.send?.(report)
})
process.on('disconnect', () => process.exit())

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
