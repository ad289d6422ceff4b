import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listPrices, rankResources } from './store.ts'

export function marketRoutes(define: DefineOperation, context: ReadContext): void {
  define(operations.marketPrice, async ({ values, disclose }) =>
    pageResult(disclose, 'market_price', await listPrices(context, values)),
  )
  define(operations.marketRankings, async ({ values, disclose }) =>
    pageResult(disclose, 'market_ranking', await rankResources(context, values)),
  )
}
