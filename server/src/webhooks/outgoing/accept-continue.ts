import type { Socket } from 'node:net'

const marker = Buffer.from('HTTP/1.1 100')

/**
 * undici 8 ends a connection on which `100 Continue` comes, though a client has to pass over it even if it did not ask for it
 * (RFC 9110, 15.2), and passes over every other 1xx. So what reads like a 100 where a read begins is made a 102 of the same length.
 * In the body of an answer this could change one digit of what the log keeps.
 */
export function patch100Continue(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  socket.read = size => {
    const chunk: unknown = read(size)
    if (Buffer.isBuffer(chunk) && chunk[11] === 0x30 && marker.equals(chunk.subarray(0, marker.length))) {
      chunk[11] = 0x32
    }
    return chunk
  }
  return socket
}
