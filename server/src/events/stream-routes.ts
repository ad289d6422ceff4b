import { operations } from '@chancery/contract'
import { createEventWriter } from '../disclosure/event-writer.ts'
import { ApiError } from '../http/api-error.ts'
import type { DefineStream } from '../http/define-stream.ts'
import type { Pulse } from '../store/pulse.ts'
import type { ReadContext } from '../store/read-context.ts'
import { startEventStream } from './event-stream.ts'
import { findStart } from './store.ts'
import { createTail } from './tail.ts'

export interface StreamContext extends ReadContext {
  pulse: Pick<Pulse, 'onChange'>
  /** So many events were written to a reader. */
  onDelivered: (count: number) => void
}

export function eventStreamRoutes(define: DefineStream, context: StreamContext): void {
  const { pools, contract } = context
  const tail = createTail({ ...context, db: pools.public, write: createEventWriter(contract) })
  define(operations.eventsStream, async ({ values }) => {
    const after = values['Last-Event-ID'] ?? values.after
    const start = await findStart(pools.public, { ...values, after })
    if (start === 'cursor_expired') throw new ApiError('cursor_expired')
    return outlet => tail.follow(start.end, log => startEventStream(outlet, start, values, log))
  })
}
