import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { itemResult, pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listNations } from './list.ts'
import { createFindNation } from './store.ts'

export function nationRoutes(define: DefineOperation, context: ReadContext): void {
  const findNation = createFindNation(context)
  define(operations.nationsList, async ({ values, disclose }) =>
    pageResult(disclose, 'nation', await listNations(context, values)),
  )
  define(operations.nationsGet, async ({ values, disclose }) =>
    itemResult(disclose, 'nation', await findNation(values.id)),
  )
}
