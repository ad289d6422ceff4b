// The plainest server there is, in a thread of its own: what a call waits here, it waits for the machine. Started by honest.ts.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

const server = http.createServer((_req, res) => res.end('{}'))
server.listen(0, '127.0.0.1', () =>
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
