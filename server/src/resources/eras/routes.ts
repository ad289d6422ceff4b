import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listEras } from './store.ts'

export function eraRoutes(define: DefineOperation, context: ReadContext): void {
  define(operations.erasList, async ({ values, disclose }) =>
    pageResult(disclose, 'era', await listEras(context, values)),
  )
}
