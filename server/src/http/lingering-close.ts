import type { IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How much is read and discarded: a proxy with nginx's defaults passes on bodies of up to 1 MiB. */
const lingerBytesMax = 2 * 1_048_576

/**
 * Closes a connection so that its peer gets the response: sends what is left, reads and discards what still arrives, and destroys the
 * connection when the peer has closed its side, and at the latest after `lingerMs` or 2 MiB. A socket that is closed with unread bytes resets the
 * connection, which discards the response and makes a proxy take this process for a failed one.
 */
export function lingeringClose(socket: Duplex, lastBytes: string, lingerMs: number): void {
  if (socket.destroyed) return
  let bytes = 0
  // The HTTP parser reads nothing more of it.
  socket.removeAllListeners('data')
  socket.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > lingerBytesMax) socket.destroy()
  })
  socket.once('end', () => {
    if (socket.writableFinished) socket.destroy()
    else socket.once('finish', () => socket.destroy())
  })
  const deadline = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(deadline))
  socket.end(lastBytes)
  socket.resume()
  // Where Node's HTTP server has paused the connection, resuming alone does not read again.
  socket._read(0)
}

/** Makes a server close lingeringly where it closes the connection before it has read the whole request. */
export function lingerOnClose(server: Server, lingerMs: number): void {
  const linger = (req: IncomingMessage): void => {
    const { socket, headers } = req
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
    // Node calls this when the last response of a connection is sent.
    socket.destroySoon = () => {
      if (req.complete) Socket.prototype.destroySoon.call(socket)
      else lingeringClose(socket, '', lingerMs)
    }
  }
  server.prependListener('request', linger)
  server.prependListener('checkExpectation', linger)
}
