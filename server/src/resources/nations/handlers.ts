import { rankedAttributes } from '@chancery/contract'
import { privateFieldsFor } from '../../disclosure/disclosure.ts'
import { type Handlers, itemResult, pageResult } from '../../http/define-operation.ts'
import { ApiError, invalidParameter } from '../../http/http-error.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { requireRanked } from '../rankings/store.ts'
import { listNations } from './list-by-rank.ts'
import { createFindNation, createFindNationOfPlayer } from './store.ts'

export function nationHandlers(
  context: ReadContext,
): Pick<Handlers, 'nationsList' | 'nationsGet' | 'meNation'> {
  const ranked = rankedAttributes(context.contract.profile.attributes.nation)
  const findNation = createFindNation(context)
  const findNationOfPlayer = createFindNationOfPlayer(context)
  return {
    async nationsList({ values, disclose }) {
      requireRanked(values.attribute, ranked, 'nations')
      for (const name of ['min_attribute', 'max_attribute'] as const)
        if (values[name] !== undefined && values.attribute === undefined)
          throw invalidParameter(name, `\`${name}\` requires \`attribute\`, the key of the attribute.`)
      return pageResult(disclose, 'nation', await listNations(context, values))
    },
    nationsGet: async ({ values: { id }, disclose }) => itemResult(disclose, 'nation', await findNation(id)),

    /** The player of the key may lead another nation from one request to the next: it is read each time. */
    async meNation({ viewer, disclose }) {
      if (viewer.kind !== 'key') throw new ApiError('api_key_required')
      const clearance = { scopes: viewer.key.scopes, isOwner: true, maySeeTreasury: false }
      const opened = privateFieldsFor(context.contract.resources.nation, clearance)
      const nation = await findNationOfPlayer(viewer.key.playerId, opened)
      if (!nation) throw new ApiError('not_found', 'The player of this key leads no nation at present.')
      return { item: disclose.toViewer('nation', nation, clearance) }
    },
  }
}
