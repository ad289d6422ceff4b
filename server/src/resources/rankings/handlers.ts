import { rankedAttributes } from '@chancery/contract'
import { type Handlers, pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { rankAlliances, rankNations, requireRanked } from './store.ts'

export function rankingHandlers(context: ReadContext): Pick<Handlers, 'rankingsList'> {
  const { nation, alliance } = context.contract.profile.attributes
  const keys = { nations: rankedAttributes(nation), alliances: rankedAttributes(alliance) }
  return {
    async rankingsList({ values, disclose }) {
      const { board, attribute } = values
      const allowed = keys[board]
      requireRanked(attribute, allowed, board)
      return board === 'alliances'
        ? pageResult(disclose, 'alliance_ranking', await rankAlliances(context, values))
        : pageResult(disclose, 'nation_ranking', await rankNations(context, values))
    },
  }
}
