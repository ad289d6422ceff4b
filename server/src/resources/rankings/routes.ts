import { operations } from '@chancery/contract'
import { many } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { rankAlliances, rankNations } from './store.ts'

export function rankingRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.rankingsList, async ({ values, disclose }) =>
    values.board === 'alliances'
      ? many(disclose, 'alliance_ranking', await rankAlliances(context, values))
      : many(disclose, 'nation_ranking', await rankNations(context, values)),
  )
}
