import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Proxy {
  url: string
  /** Paths below the base, in the order of requests. */
  requests: string[]
  /** Open connections to the target. */
  readonly open: number
}

/** Handles a request and may forward it. */
export type ProxyHandler = (call: {
  req: IncomingMessage
  res: ServerResponse
  path: string
  forward(bytesMax?: number): void
}) => void

/** Starts a proxy. `forward` forwards the response, truncated after so many bytes. */
export async function startProxy(t: TestContext, target: string, pass: ProxyHandler): Promise<Proxy> {
  const requests: string[] = []
  let open = 0
  const server = createServer((req, res) => {
    const path = (req.url ?? '').replace('/api/public/v1', '')
    requests.push(path)
    const forward = (bytesMax = Number.POSITIVE_INFINITY) => {
      const { host: _host, ...headers } = req.headers
      const behind = request(new URL(req.url ?? '', target), { headers })
      open += 1
      behind.on('close', () => {
        open -= 1
      })
      behind.on('error', () => res.destroy())
      res.on('close', () => behind.destroy())
      behind.on('response', answer => {
        let left = bytesMax
        res.writeHead(answer.statusCode ?? 500, answer.headers)
        res.flushHeaders()
        answer.on('data', (chunk: Buffer) => {
          // Chunks may still arrive after the truncation.
          if (left <= 0) return
          res.write(chunk.subarray(0, left))
          left -= chunk.length
          if (left > 0) return
          answer.destroy()
          // Flush first.
          setImmediate(() => res.destroy())
        })
        answer.on('end', () => res.end())
        answer.on('error', () => res.destroy())
      })
      behind.end()
    }
    pass({ req, res, path, forward })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get open() {
      return open
    },
  }
}
