import { operations } from '@chancery/contract'
import { many, one } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listNations } from './list.ts'
import { createFindNation } from './store.ts'

export function nationRoutes(define: DefineRoute, context: ReadContext): void {
  const findNation = createFindNation(context)
  define(operations.nationsList, async ({ values, disclose }) =>
    many(disclose, 'nation', await listNations(context, values)),
  )
  define(operations.nationsGet, async ({ values, disclose }) =>
    one(disclose, 'nation', await findNation(values.id)),
  )
}
