import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Passing {
  url: string
  /** Paths below the base, in the order of asking. */
  asked: string[]
  /** Connections that are open to the server behind. */
  readonly open: number
}

/** Passes a call on, as far as it likes. */
export type Pass = (call: {
  req: IncomingMessage
  res: ServerResponse
  path: string
  forward(bytesMax?: number): void
}) => void

/** Something between a client and a server. `forward` passes the answer on, and cuts it after so many bytes. */
export async function between(t: TestContext, target: string, pass: Pass): Promise<Passing> {
  const asked: string[] = []
  let open = 0
  const server = createServer((req, res) => {
    const path = (req.url ?? '').replace('/api/public/v1', '')
    asked.push(path)
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
          // What has arrived already is told after the cut, too.
          if (left <= 0) return
          res.write(chunk.subarray(0, left))
          left -= chunk.length
          if (left > 0) return
          answer.destroy()
          // Let what was written leave first.
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
    asked,
    get open() {
      return open
    },
  }
}
