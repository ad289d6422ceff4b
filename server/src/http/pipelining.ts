import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lingeringClose } from './lingering-close.ts'

/** How many requests may wait on one connection. */
export const waitingMax = 32
/** Size of their request lines and headers together. */
const waitingBytesMax = 65_536

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/**
 * Handles pipelined requests one by one, each after the response before it was handed to the operating system. Node would handle all at
 * once and keep their responses in memory: 33 requests of 44 bytes would hold 33 responses that their sender does not read. Number and
 * size of waiting requests are limited as well, because Node parses thousands of requests in one packet of 64 KB at once. The first
 * one beyond the limit gets `reject` in its turn, which ends the connection; what follows is read for at most `lingerMs` and discarded.
 */
export function limitPipelining(server: Server, reject: Handle, lingerMs: number): void {
  const current = new WeakMap<Socket, ServerResponse>()
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>()
  const ended = new WeakSet<Socket>()
  const [handle] = server.listeners('request') as Handle[]
  if (!handle) throw new Error('the server has no request handler yet')
  server.off('request', handle)

  function handleNext(socket: Socket): void {
    const queue = waiting.get(socket) ?? []
    const [req, res] = queue.shift() ?? []
    // Without a socket the connection was closed before its turn.
    if (!req || !res?.socket) return
    current.set(socket, res)
    if (queue.length > 0) res.once('close', () => handleNext(socket))
    handle?.(req, res)
  }

  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req
    // A response gets its socket when it is the first in line, usually at once.
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
    // Node resumes the socket after every request; this one stays paused.
    socket.resume = () => socket
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'resume')
      lingeringClose(socket, '', lingerMs)
    }
    reject(req, res)
  })
}

const headBytes = ({ url = '', rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length, url.length)
