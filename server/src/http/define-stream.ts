import type { Operation, Parameters, ValuesFor } from '@chancery/contract'
import type { OpenStreams } from './open-streams.ts'
import type { RegisterOperation } from './register-operation.ts'
import type { StreamLimiter } from './stream-limiter.ts'
import type { StartSseSource } from './stream-source.ts'

type Streaming = Operation<Parameters, 'stream'>

/** Answers a call that has passed every other check: how its stream is told. Rejects where there is nothing to tell. */
export type StreamHandler<O extends Streaming> = (call: { values: ValuesFor<O> }) => Promise<StartSseSource>

/** Registers an operation that streams, under both bases: one more way of answering beside `DefineRoute`. */
export type DefineStream = <O extends Streaming>(operation: O, handler: StreamHandler<O>) => void

export interface DefineStreamOptions {
  register: RegisterOperation
  streams: OpenStreams
  slots: StreamLimiter
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache',
  // For proxies that would gather an answer before they pass it on.
  'x-accel-buffering': 'no',
}

export function createDefineStream({ register, streams, slots }: DefineStreamOptions): DefineStream {
  return (operation, handler) => {
    register(operation, async ({ req, reply, check }) => {
      const { values } = check()
      const { viewer } = req
      const slot = slots.take(viewer, req.ip)
      try {
        const start = await handler({ values })
        const { raw } = reply.headers(streamHeaders).hijack()
        // Whoever left while the log was asked is not there to be told.
        if (raw.destroyed) {
          slot.release()
          return reply
        }
        for (const [name, value] of Object.entries(reply.getHeaders())) raw.setHeader(name, value ?? '')
        raw.writeHead(200)
        reply.recordStreamStart()
        streams.open(raw, start, { key: viewer.kind === 'key' ? viewer.key : undefined, slot })
        return reply
      } catch (error) {
        slot.release()
        throw error
      }
    })
  }
}
