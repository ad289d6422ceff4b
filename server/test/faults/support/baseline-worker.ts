// A minimal server in a thread of its own: its response times are those of the machine. Started by regular-client.ts.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

const server = http.createServer((_req, res) => res.end('{}'))
server.listen(0, '127.0.0.1', () =>
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
