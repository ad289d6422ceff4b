import { operations } from '@chancery/contract'
import { many } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listEras } from './store.ts'

export function eraRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.erasList, async ({ values, disclose }) =>
    many(disclose, 'era', await listEras(context, values)),
  )
}
