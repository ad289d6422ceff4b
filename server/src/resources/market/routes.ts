import { operations } from '@chancery/contract'
import { many } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listPrices, rankResources } from './store.ts'

export function marketRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.marketPrice, async ({ values, disclose }) =>
    many(disclose, 'market_price', await listPrices(context, values)),
  )
  define(operations.marketRankings, async ({ values, disclose }) =>
    many(disclose, 'market_ranking', await rankResources(context, values)),
  )
}
