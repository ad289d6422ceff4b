import { operations } from '@chancery/contract'
import { createItemSerializer } from '../disclosure/disclosure.ts'
import { type Handlers, pageResult } from '../http/define-operation.ts'
import type { DefineStream } from '../http/define-stream.ts'
import { ApiError } from '../http/http-error.ts'
import type { ReadContext } from '../store/fact-columns.ts'
import type { Pulse } from '../store/pulse.ts'
import { createTail } from './event-stream.ts'
import { listEvents } from './list-events.ts'
import { findStreamStart } from './store.ts'

export const eventHandlers = (context: ReadContext): Pick<Handlers, 'eventsList'> => ({
  async eventsList({ values, disclose }) {
    const page = await listEvents(context, values)
    if (page === 'cursor_expired') throw new ApiError('cursor_expired')
    return pageResult(disclose, 'event', page)
  },
})

export interface StreamContext extends ReadContext {
  pulse: Pick<Pulse, 'onChange' | 'onServerChange'>
  /** Called with the number of events written to a stream. */
  onDelivered: (count: number) => void
}

export function eventStreamRoutes(define: DefineStream, context: StreamContext): void {
  const { pools, contract } = context
  const tail = createTail({ ...context, db: pools.public, write: createItemSerializer(contract, 'event') })
  define(operations.eventsStream, async ({ values }) => {
    const after = values['Last-Event-ID'] ?? values.after
    const start = await findStreamStart(pools.public, { ...values, after })
    if (start === 'cursor_expired') throw new ApiError('cursor_expired')
    return writer => tail.openStream(writer, start, values)
  })
}
