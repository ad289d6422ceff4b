import type { IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How much is read and discarded. nginx passes on bodies of up to 1 MiB by default. */
const lingerBytesMax = 2 * 1_048_576

/**
 * Closes a connection so that the peer gets the response: sends the last bytes, reads and discards what still arrives, and destroys the
 * socket when the peer has closed its side, at the latest after `lingerMs` or 2 MiB. Closing a socket with unread bytes resets the
 * connection: the peer loses the response, and a proxy counts the process as failed.
 */
export function lingeringClose(socket: Duplex, lastBytes: string, lingerMs: number): void {
  if (socket.destroyed) return
  let bytes = 0
  // Detaches the HTTP parser.
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
  // resume() alone does not read where Node's HTTP server has paused the connection.
  socket._read(0)
}

/** Lets a server linger where it closes a connection before it has read the whole request. */
export function lingerOnClose(server: Server, lingerMs: number): void {
  const linger = (req: IncomingMessage): void => {
    const { socket, headers } = req
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      if (req.complete) Socket.prototype.destroySoon.call(socket)
      else lingeringClose(socket, '', lingerMs)
    }
  }
  server.prependListener('request', linger)
  server.prependListener('checkExpectation', linger)
}
