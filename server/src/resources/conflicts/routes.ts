import { operations } from '@chancery/contract'
import { many } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listConflicts } from './store.ts'

export function conflictRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.conflictsList, async ({ values, disclose }) =>
    many(disclose, 'conflict', await listConflicts(context, values)),
  )
}
