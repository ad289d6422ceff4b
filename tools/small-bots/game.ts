/** Servers in place of the game's API, for programs in processes of their own. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { listen } from '../../server/test/support/listen.ts'

export interface RecordedRequest {
  /** Below the API's base, decoded. */
  path: string
  headers: IncomingHttpHeaders
}

/** Serves what `respond` returns for a path below the base, and records the requests. */
export async function startGame(respond: (url: string, headers: IncomingHttpHeaders) => Promise<Response>) {
  const requests: RecordedRequest[] = []
  const listener: RequestListener = async (req, res) => {
    const url = req.url ?? ''
    requests.push({
      path: decodeURIComponent(url.replace(/^\/api\/(public\/)?v1/, '')),
      headers: req.headers,
    })
    const response = await respond(url, req.headers)
    // The body was decoded.
    const headers = [...response.headers].filter(
      ([name]) => !/^(content-(encoding|length)|transfer-encoding|connection|keep-alive)$/.test(name),
    )
    res.writeHead(response.status, headers.flat()).end(Buffer.from(await response.arrayBuffer()))
  }
  const server = createServer((req, res) => {
    Promise.resolve(listener(req, res)).catch(() => res.destroy())
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type Game = Awaited<ReturnType<typeof startGame>>

/** Forwards requests to a server. */
export const forwardTo = (origin: string) =>
  startGame((url, { authorization, 'if-none-match': etag }) =>
    fetch(origin + url, {
      headers: { ...(authorization && { authorization }), ...(etag && { 'if-none-match': etag }) },
    }),
  )
