import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listConflicts } from './store.ts'

export function conflictRoutes(define: DefineOperation, context: ReadContext): void {
  define(operations.conflictsList, async ({ values, disclose }) =>
    pageResult(disclose, 'conflict', await listConflicts(context, values)),
  )
}
