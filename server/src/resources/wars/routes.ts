import { operations } from '@chancery/contract'
import { many, one } from '../../http/answers.ts'
import { notFound } from '../../http/api-error.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listBattles } from '../battles/store.ts'
import { createFindWar, listWars, warExists } from './store.ts'

export function warRoutes(define: DefineRoute, context: ReadContext): void {
  const findWar = createFindWar(context)
  define(operations.warsList, async ({ values, disclose }) =>
    many(disclose, 'war', await listWars(context, values)),
  )
  define(operations.warsGet, async ({ values, disclose }) => one(disclose, 'war', await findWar(values.id)))
  define(operations.warsBattles, async ({ values, disclose }) => {
    const page = await listBattles(context, values)
    if (page.total === 0 && !(await warExists(context, values.id))) throw notFound('war')
    return many(disclose, 'battle', page)
  })
}
