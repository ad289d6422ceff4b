import { operations } from '@chancery/contract'
import { many, one } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listNations } from './list.ts'
import { findNation } from './store.ts'

export function nationRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.nationsList, async ({ values, disclose }) =>
    many(disclose, 'nation', await listNations(context, values)),
  )
  define(operations.nationsGet, async ({ values, disclose }) =>
    one(disclose, 'nation', await findNation(context, values.id)),
  )
}
