import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { RecordedResponse } from '../load.ts'

// Replays one recorded response for every request, on node:http or on Fastify and nothing else.

const { framework } = JSON.parse(process.argv[2] ?? '{}') as { framework: 'node' | 'fastify' }
// As Chancery's, because it shows in a header.
const keepAliveTimeout = 72_000
let recorded: RecordedResponse = { status: 204, headers: [], body: Buffer.alloc(0) }
let headerObject: Record<string, string> = {}
let headerList: string[] = []
let body: Buffer | undefined

process.on('message', (message: RecordedResponse) => {
  recorded = message
  headerObject = Object.fromEntries(recorded.headers)
  headerList = recorded.headers.flat()
  body = recorded.body.length > 0 ? Buffer.from(recorded.body) : undefined
  process.send?.('ready')
})

const app = Fastify({ logger: false, keepAliveTimeout })
app.get('/*', (_req, reply) => {
  reply.code(recorded.status).headers(headerObject).send(body)
})
const bare = createServer({ keepAliveTimeout }, (_req, res) => {
  res.writeHead(recorded.status, headerList)
  res.end(body)
})
await app.ready()
const server = framework === 'fastify' ? app.server : bare
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
