import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { RecordedResponse } from '../load.ts'

// Replays one recorded response for every request, on node:http or on Fastify and nothing else.

const { framework } = JSON.parse(process.argv[2] ?? '{}') as { framework: 'node' | 'fastify' }
// As Chancery's, because it shows in a header.
const keepAliveTimeout = 72_000
let status = 204
let headers: [string, string][] = []
let headerList: string[] = []
let body: Buffer | undefined

async function listen(): Promise<number> {
  if (framework === 'fastify') {
    const app = Fastify({ logger: false, keepAliveTimeout })
    app.get('/*', (_req, reply) => {
      reply.code(status).headers(Object.fromEntries(headers)).send(body)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return (app.server.address() as AddressInfo).port
  }
  const server = createServer({ keepAliveTimeout }, (_req, res) => {
    res.writeHead(status, headerList)
    res.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

process.on('message', (recorded: RecordedResponse) => {
  status = recorded.status
  headers = recorded.headers
  headerList = headers.flat()
  body = recorded.body.length > 0 ? Buffer.from(recorded.body) : undefined
  process.send?.('ready')
})

process.send?.({ port: await listen() })
