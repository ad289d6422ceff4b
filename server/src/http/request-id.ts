import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TrustedProxies } from './trusted-proxies.ts'

const form = /^[A-Za-z0-9_-]{8,64}$/

/** Ids are generated in batches: the system call and the conversion cost more than the bytes. */
const idDigits = 16
const idsDrawn = 256
const draw = () => randomBytes((idDigits / 2) * idsDrawn).toString('hex')

/** Generates request ids. An incoming id is kept only from a trusted proxy, and only if it is safe to log. */
export function createRequestIds(trusted: TrustedProxies) {
  let pool = draw()
  let used = 0
  const make = () => {
    if (used === pool.length) {
      pool = draw()
      used = 0
    }
    used += idDigits
    return `req_${pool.slice(used - idDigits, used)}`
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
