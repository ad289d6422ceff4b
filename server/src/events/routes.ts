import { operations } from '@chancery/contract'
import { many } from '../http/answers.ts'
import { ApiError } from '../http/api-error.ts'
import type { DefineRoute } from '../http/define-route.ts'
import type { ReadContext } from '../store/read-context.ts'
import { listEvents } from './store.ts'

export function eventRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.eventsList, async ({ values, disclose }) => {
    const page = await listEvents(context, values)
    if (page === 'cursor_expired') throw new ApiError('cursor_expired')
    return many(disclose, 'event', page)
  })
}
