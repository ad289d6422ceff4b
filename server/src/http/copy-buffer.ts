/**
 * The same bytes in memory of their own. Small buffers share pieces of 8 KB, and what zlib writes fills a part of 16 KB or more: whoever
 * keeps one keeps the whole piece.
 */
export function copyBuffer(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}
