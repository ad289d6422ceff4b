import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { Answer } from '../exchange.ts'

// The framework and nothing else: whatever is asked, the same bytes under the same headers.

let status = 204
let headers: Record<string, string> = {}
let body: Buffer | undefined

const app = Fastify({ logger: false, keepAliveTimeout: 72_000 })
app.get('/*', (_req, reply) => {
  reply.code(status).headers(headers).send(body)
})

process.on('message', async (answer: Answer | 'listen') => {
  if (answer === 'listen') {
    await app.listen({ port: 0, host: '127.0.0.1' })
    process.send?.({ port: (app.server.address() as AddressInfo).port })
    return
  }
  status = answer.status
  headers = Object.fromEntries(answer.headers)
  body = answer.body.length > 0 ? Buffer.from(answer.body) : undefined
  process.send?.('ready')
})
