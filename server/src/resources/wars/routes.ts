import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { itemResult, pageResult } from '../../http/define-operation.ts'
import { notFound } from '../../http/http-error.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listBattles } from '../battles/store.ts'
import { createFindWar, listWars, warExists } from './store.ts'

export function warRoutes(define: DefineOperation, context: ReadContext): void {
  const findWar = createFindWar(context)
  define(operations.warsList, async ({ values, disclose }) =>
    pageResult(disclose, 'war', await listWars(context, values)),
  )
  define(operations.warsGet, async ({ values, disclose }) =>
    itemResult(disclose, 'war', await findWar(values.id)),
  )
  define(operations.warsBattles, async ({ values, disclose }) => {
    const page = await listBattles(context, values)
    if (page.total === 0 && !(await warExists(context, values.id))) throw notFound('war')
    return pageResult(disclose, 'battle', page)
  })
}
