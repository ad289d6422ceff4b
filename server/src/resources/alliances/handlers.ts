import { privateFieldsFor } from '../../disclosure/disclosure.ts'
import { type Handlers, itemResult, pageResult } from '../../http/define-operation.ts'
import { ApiError, notFound } from '../../http/http-error.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { listAllMembers, listMembers } from '../members/store.ts'
import {
  allianceExists,
  createFindAlliance,
  findAllianceWithTreasury,
  listAlliances,
  maySeeTreasury,
} from './store.ts'

export function allianceHandlers(
  context: ReadContext,
): Pick<Handlers, 'alliancesList' | 'alliancesGet' | 'alliancesMembers' | 'membersList'> {
  const findAlliance = createFindAlliance(context)
  return {
    alliancesList: async ({ values, disclose }) =>
      pageResult(disclose, 'alliance', await listAlliances(context, values)),

    async alliancesGet({ values: { id, include }, viewer, disclose }) {
      if (!include || viewer.kind !== 'key') return itemResult(disclose, 'alliance', await findAlliance(id))
      if (!(await allianceExists(context, id))) throw notFound('alliance')
      const isEntitled = await maySeeTreasury(context, viewer.key.playerId, id)
      if (!isEntitled) throw new ApiError('not_entitled')
      const clearance = { scopes: viewer.key.scopes, isOwner: false, maySeeTreasury: isEntitled }
      const opened = privateFieldsFor(context.contract.resources.alliance, clearance)
      const alliance = await findAllianceWithTreasury(context, id, opened)
      if (!alliance) throw notFound('alliance')
      return { item: disclose.toViewer('alliance', alliance, clearance) }
    },

    async alliancesMembers({ values, disclose }) {
      const page = await listMembers(context, values)
      if (page.total === 0 && !(await allianceExists(context, values.id))) throw notFound('alliance')
      return pageResult(disclose, 'alliance_member', page)
    },

    membersList: async ({ values, disclose }) =>
      pageResult(disclose, 'alliance_member', await listAllMembers(context, values)),
  }
}
