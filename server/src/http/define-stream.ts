import { type Contract, limits, type Operation, type Parameters } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import type { Viewer } from '../access/key.ts'
import { callerBucket } from './admission.ts'
import { createValidate, publicRoutes } from './define-operation.ts'
import { createDefiner, type Define } from './definer.ts'
import { rateLimited } from './http-error.ts'
import type { OpenStreams } from './open-streams.ts'
import type { StartSseSource } from './sse-connection.ts'

/** Registers an operation of the public API that returns server-sent events. A handler rejects where there is nothing to stream. */
export type DefineStream = Define<Operation<Parameters, 'stream'>, unknown, StartSseSource>

export interface DefineStreamOptions {
  app: FastifyInstance
  contract: Contract
  streams: OpenStreams
  limiter: StreamLimiter
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache',
  // For proxies that would buffer the response.
  'x-accel-buffering': 'no',
}

/** The steps of any other operation up to authorization; then the stream limit, and a response that lasts until either side ends it. */
export const createDefineStream = ({ app, contract, streams, limiter }: DefineStreamOptions): DefineStream =>
  createDefiner<Operation<Parameters, 'stream'>, unknown, StartSseSource>({
    ...publicRoutes(app, contract),
    steps: operation => ({
      validateAndAuthorize: createValidate(contract, operation),
      async respond({ req, reply }, runHandler) {
        const { viewer } = req
        const slot = limiter.acquire(viewer, req.ip)
        try {
          const start = await runHandler({})
          const { raw } = reply.headers(streamHeaders).hijack()
          // The client may have disconnected meanwhile.
          if (raw.destroyed) {
            slot.release()
            return reply
          }
          for (const [name, value] of Object.entries(reply.getHeaders())) raw.setHeader(name, value ?? '')
          raw.writeHead(200)
          reply.recordStreamStart()
          streams.open(raw, start, {
            key: viewer.kind === 'key' ? viewer.key : undefined,
            release: slot.release,
          })
          return reply
        } catch (error) {
          slot.release()
          throw error
        }
      },
    }),
  })

/** A place for one open stream. */
export interface StreamSlot {
  /** Idempotent. */
  release(): void
}

/** Limits how many streams, or downloads, a key, or an address without a key, has open in this process. */
export function createStreamLimiter({
  perKey,
  perAddress,
  noun = 'event stream',
}: {
  perKey: number
  perAddress: number
  noun?: string
}) {
  const open = new Map<string, number>()

  return {
    /** @throws {ApiError} rate_limited. */
    acquire(viewer: Viewer, address: string): StreamSlot {
      const key = viewer.kind === 'key' ? viewer.key : undefined
      const bucket = callerBucket(key, address)
      const max = key ? perKey : perAddress
      const count = open.get(bucket) ?? 0
      if (count >= max) {
        throw rateLimited(
          'streams',
          limits.retryAfterStreamsSeconds,
          `Stream limit exceeded: at most ${max} ${max === 1 ? noun : `${noun}s`} may be open at a time ${key ? 'with one key' : 'from one address without a key'}. Close one, or try again later.`,
        )
      }
      open.set(bucket, count + 1)
      let isReleased = false
      return {
        release() {
          if (isReleased) return
          isReleased = true
          const left = (open.get(bucket) ?? 1) - 1
          if (left === 0) open.delete(bucket)
          else open.set(bucket, left)
        },
      }
    },
  }
}

export type StreamLimiter = ReturnType<typeof createStreamLimiter>
