import { rankedAttributes } from '@chancery/contract'
import { type Handlers, pageResult } from '../../http/define-operation.ts'
import { invalidParameter } from '../../http/http-error.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { rankAlliances, rankNations } from './store.ts'

/** @throws {ApiError} invalid_parameter for an attribute by which the items are not ranked. */
export function requireRanked(
  attribute: string | undefined,
  allowed: readonly string[],
  items: 'nations' | 'alliances',
): void {
  if (attribute === undefined || allowed.includes(attribute)) return
  const rule = allowed.length > 0 ? `one of ${allowed.join(', ')}, or left out` : 'left out'
  throw invalidParameter(
    'attribute',
    `\`attribute\` must be ${rule}: the game profile states by which attributes ${items} are ranked.`,
  )
}

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
