import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lingeringClose } from './lingering-close.ts'

/** How many requests of one connection may wait for the response before theirs. */
export const waitingMax = 32
/** How large their request lines and headers may be together. */
const waitingBytesMax = 65_536

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/**
 * Handles the requests of a connection one after the other, each when the response before it has been handed to the system. Node
 * would handle all of them at once and keep their responses in memory: 33 requests of 44 bytes then hold 33 responses that their
 * sender does not read. It also bounds how many may wait and how large they are, because what arrives in one piece is parsed in one
 * go, thousands of requests in 64 KB. The first one too many is answered by `refuse`, in its turn, and ends the connection; whatever
 * follows it is read for `lingerMs` at most and discarded.
 */
export function limitPipelining(server: Server, refuse: Handle, lingerMs: number): void {
  const current = new WeakMap<Socket, ServerResponse>()
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>()
  const ended = new WeakSet<Socket>()
  const [handle] = server.listeners('request') as Handle[]
  if (!handle) throw new Error('nothing handles requests yet')
  server.off('request', handle)

  function handleNext(socket: Socket): void {
    const queue = waiting.get(socket) ?? []
    const [req, res] = queue.shift() ?? []
    // Without a socket its turn has not come, because the connection is gone.
    if (!req || !res?.socket) return
    current.set(socket, res)
    if (queue.length > 0) res.once('close', () => handleNext(socket))
    handle?.(req, res)
  }

  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req
    // A response has its socket as soon as it is first in line: usually from the start.
    if (res.socket !== null) {
      current.set(socket, res)
      return handle(req, res)
    }
    const queue = waiting.get(socket) ?? []
    waiting.set(socket, queue)
    if (ended.has(socket)) return
    const waitingBytes = queue.reduce((sum, [waiting]) => sum + headBytes(waiting), headBytes(req))
    if (queue.length < waitingMax && waitingBytes <= waitingBytesMax) {
      if (queue.length === 0) current.get(socket)?.once('close', () => handleNext(socket))
      queue.push([req, res])
      return
    }
    ended.add(socket)
    socket.pause()
    // Every request that ends lets its connection flow again. This one has nothing more to say.
    socket.resume = () => socket
    // Node calls this when the last response of a connection is sent.
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'resume')
      lingeringClose(socket, '', lingerMs)
    }
    refuse(req, res)
  })
}

const headBytes = ({ url = '', rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length, url.length)
