import type { ListedResource, PublicOf, ResourceOf } from '@chancery/contract'
import { createFindAlliance } from '../resources/alliances/store.ts'
import { listConflicts } from '../resources/conflicts/store.ts'
import { listAllMembers } from '../resources/members/store.ts'
import { createFindNation } from '../resources/nations/store.ts'
import { createFindWar } from '../resources/wars/store.ts'
import { createFindItem } from '../store/derived-lists.ts'
import type { ReadContext } from '../store/fact-columns.ts'

type ReadItems<R extends ListedResource> = (ids: string[]) => Promise<PublicOf<ResourceOf<R>>[]>

/** For each resource a function that reads items by id, as its list returns them. A resource without one does not compile. */
export type ItemReaders = { [R in ListedResource]: ReadItems<R> }

export function createItemReaders(context: ReadContext): ItemReaders {
  const stored = <R extends ListedResource>(resource: R): ReadItems<R> =>
    each(createFindItem(context, resource))
  return {
    alliance: each(createFindAlliance(context)),
    nation: each(createFindNation(context)),
    alliance_member: async ids =>
      (await listAllMembers(context, { ids, alliance_id: undefined, page: 1, limit: ids.length })).items,
    treaty: stored('treaty'),
    era: stored('era'),
    conflict: async ids => (await listConflicts(context, { ids, page: 1, limit: ids.length })).items,
    war: each(createFindWar(context)),
    battle: stored('battle'),
    market_price: stored('market_price'),
    news_item: stored('news_item'),
  }
}

/** The loader behind `find` reads them in two statements. */
const each =
  <T>(find: (id: string) => Promise<T | undefined>) =>
  async (ids: string[]): Promise<T[]> =>
    (await Promise.all(ids.map(find))).filter(item => item !== undefined)
