import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { rankAlliances, rankNations } from './store.ts'

export function rankingRoutes(define: DefineOperation, context: ReadContext): void {
  define(operations.rankingsList, async ({ values, disclose }) =>
    values.board === 'alliances'
      ? pageResult(disclose, 'alliance_ranking', await rankAlliances(context, values))
      : pageResult(disclose, 'nation_ranking', await rankNations(context, values)),
  )
}
