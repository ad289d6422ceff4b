import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer } from '../exchange.ts'

// What the platform can do at all: whatever is asked, the same bytes under the same headers.

let status = 204
let headers: string[] = []
let body: Buffer | undefined

// With as much time between two calls as Chancery gives, so that the header that tells it is the same.
const server = createServer({ keepAliveTimeout: 72_000 }, (_req, res) => {
  res.writeHead(status, headers)
  res.end(body)
})

process.on('message', (answer: Answer | 'listen') => {
  if (answer === 'listen') {
    server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
    return
  }
  status = answer.status
  headers = answer.headers.flat()
  body = answer.body.length > 0 ? Buffer.from(answer.body) : undefined
  process.send?.('ready')
})
