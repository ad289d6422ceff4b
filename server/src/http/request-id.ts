import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TrustedProxies } from './trusted-proxies.ts'

const form = /^[A-Za-z0-9_-]{8,64}$/

/** Random bytes are drawn many at a time: the system call costs more than the bytes. */
const idBytes = 8
const poolBytes = idBytes * 256

/** Makes ids of requests. An incoming one is kept only from a trusted proxy, and only in a form that is safe to log. */
export function createRequestIds(trusted: TrustedProxies) {
  let pool = randomBytes(poolBytes)
  let used = 0
  const make = () => {
    if (used === poolBytes) {
      pool = randomBytes(poolBytes)
      used = 0
    }
    used += idBytes
    return `req_${pool.toString('hex', used - idBytes, used)}`
  }
  return {
    make,
    of(req: IncomingMessage): string {
      const given = req.headers['x-request-id']
      const isKept =
        typeof given === 'string' && form.test(given) && trusted.includes(req.socket.remoteAddress)
      return isKept ? given : make()
    },
  }
}

export type RequestIds = ReturnType<typeof createRequestIds>
