import { limits } from '@chancery/contract'
import type { Viewer } from '../access/viewer.ts'
import { rateLimitKey } from './admission.ts'
import { rateLimited } from './api-error.ts'

/** A place for one stream. */
export interface StreamSlot {
  /** Doing it again does nothing. */
  release(): void
}

/** How many streams each caller has open in this process. */
export function createStreamLimiter({ perKey, perAddress }: { perKey: number; perAddress: number }) {
  const taken = new Map<string, number>()

  return {
    /** @throws {ApiError} rate_limited where the caller has as many streams as may be. */
    take(viewer: Viewer, address: string): StreamSlot {
      const key = viewer.kind === 'key' ? viewer.key : undefined
      const subject = rateLimitKey(key, address)
      const slots = key ? perKey : perAddress
      const count = taken.get(subject) ?? 0
      if (count >= slots) {
        throw rateLimited(
          'streams',
          limits.retryAfterStreamsSeconds,
          `Stream limit exceeded: at most ${slots} event ${slots === 1 ? 'stream' : 'streams'} may be open at a time ${key ? 'with one key' : 'from one address without a key'}. Close one, or try again later.`,
        )
      }
      taken.set(subject, count + 1)
      let isTaken = true
      return {
        release() {
          if (!isTaken) return
          isTaken = false
          const left = (taken.get(subject) ?? 1) - 1
          if (left === 0) taken.delete(subject)
          else taken.set(subject, left)
        },
      }
    },
  }
}

export type StreamLimiter = ReturnType<typeof createStreamLimiter>
