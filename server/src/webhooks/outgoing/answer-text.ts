import { webhooks } from '@chancery/contract'

/** Takes the body of an answer as it comes, and keeps its beginning. */
export interface BodyPrefix {
  /** Whether all has been taken that may be. */
  add(chunk: Buffer): boolean
  /** What was kept, as the log can hold it: well-formed, and without NUL, which PostgreSQL's text cannot hold. */
  text(): string
}

export function createBodyPrefix(): BodyPrefix {
  const kept: Buffer[] = []
  let bytes = 0
  return {
    add(chunk) {
      const room = webhooks.responseBytesKept - bytes
      // A copy: a slice would hold all that was read with it.
      if (room > 0) kept.push(Buffer.from(chunk.subarray(0, room)))
      bytes += chunk.length
      return bytes >= webhooks.responseBytesMax
    },
    text() {
      if (bytes === 0) return ''
      // As a stream: a character that the cut went through is left out.
      return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '\uFFFD')
    },
  }
}
