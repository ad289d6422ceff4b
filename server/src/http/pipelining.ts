import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests of one connection may wait for the answer before theirs. */
const waitingMax = 32

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/**
 * Bounds how far a caller may send ahead of the answers. What arrives in one piece is parsed in one go, thousands of requests in 64 KB,
 * and all others wait for as long: twenty such connections held up everybody for half a minute. The first one too many is
 * answered by `refuse`, in its turn, and ends the connection; whatever follows it is not looked at.
 */
export function boundPipelining(server: Server, refuse: Handle): void {
  const waiting = new WeakMap<Socket, number>()
  const [handle] = server.listeners('request') as Handle[]
  if (!handle) throw new Error('nothing handles requests yet')
  server.off('request', handle)

  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    // A response has its socket as soon as it is first in line: usually from the start.
    if (res.socket !== null) return handle(req, res)
    const { socket } = req
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    if (count > waitingMax + 1) return
    if (count > waitingMax) {
      socket.pause()
      // Every request that ends lets its connection flow again. This one has nothing more to say.
      socket.resume = () => socket
      refuse(req, res)
      return
    }
    res.once('close', () => {
      const left = waiting.get(socket) ?? 0
      if (left <= waitingMax) waiting.set(socket, left - 1)
    })
    handle(req, res)
  })
}
