import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export interface WebSocketConnection {
  send(message: object): void
  close(): void
}

const handshakeId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 }

/** The server's side of one WebSocket (RFC 6455), as far as a gateway that speaks JSON needs it. */
export function acceptWebSocket(
  req: IncomingMessage,
  socket: Duplex,
  onMessage: (message: unknown) => void,
): WebSocketConnection {
  const accept = createHash('sha1')
    .update(`${req.headers['sec-websocket-key']}${handshakeId}`)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
  let rest = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', chunk => {
    rest = Buffer.concat([rest, chunk])
    for (let frame = readFrame(rest); frame; frame = readFrame(rest)) {
      rest = rest.subarray(frame.length)
      if (frame.opcode === opcodes.text) onMessage(JSON.parse(frame.payload.toString()))
      if (frame.opcode === opcodes.ping) socket.write(writeFrame(opcodes.pong, frame.payload))
      if (frame.opcode === opcodes.close) socket.end(writeFrame(opcodes.close, frame.payload))
    }
  })
  return {
    send: message => socket.write(writeFrame(opcodes.text, Buffer.from(JSON.stringify(message)))),
    close: () => socket.destroy(),
  }
}

/** A frame of a client, which is masked; undefined where it is not whole yet. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 0x7f
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < head + 4) return undefined
  const size =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const length = head + 4 + size
  if (bytes.length < length) return undefined
  const mask = bytes.subarray(head, head + 4)
  const payload = Buffer.from(bytes.subarray(head + 4, length).map((byte, at) => byte ^ (mask[at % 4] ?? 0)))
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, length }
}

function writeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 2 : 4)
  head.writeUInt8(0x80 | opcode, 0)
  head.writeUInt8(Math.min(length, 126), 1)
  if (length >= 126) head.writeUInt16BE(length, 2)
  return Buffer.concat([head, payload])
}
