import { operations } from '@chancery/contract'
import { type Handlers, itemResult, pageResult } from '../../http/define-operation.ts'
import { notFound } from '../../http/http-error.ts'
import { createDerivedList, createFindItem } from '../../store/derived-lists.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { createFindWar, createListWars, warExists } from './store.ts'

export function warHandlers(
  context: ReadContext,
): Pick<Handlers, 'warsList' | 'warsGet' | 'warsBattles' | 'battlesGet'> {
  const findWar = createFindWar(context)
  const listWars = createListWars(context)
  const findBattle = createFindItem(context, 'battle')
  const listBattles = createDerivedList(context, operations.warsBattles)
  return {
    warsList: async ({ values, disclose }) => pageResult(disclose, 'war', await listWars(values)),
    warsGet: async ({ values: { id }, disclose }) => itemResult(disclose, 'war', await findWar(id)),

    async warsBattles({ values, disclose }) {
      const page = await listBattles(values)
      if (page.total === 0 && !(await warExists(context, values.id))) throw notFound('war')
      return pageResult(disclose, 'battle', page)
    },
    battlesGet: async ({ values: { id }, disclose }) => itemResult(disclose, 'battle', await findBattle(id)),
  }
}
