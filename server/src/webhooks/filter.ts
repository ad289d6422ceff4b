import { type Contract, type EventFilter, limits, matchesType } from '@chancery/contract'

/** The conditions of an endpoint as they are kept: null for none. */
export interface FilterRow {
  types: string[] | null
  nation_ids: string[] | null
  alliance_ids: string[] | null
}

export const filterOf = ({ types, nation_ids, alliance_ids }: FilterRow): EventFilter => ({
  types: types ?? undefined,
  nationIds: nation_ids ?? undefined,
  allianceIds: alliance_ids ?? undefined,
})

/** One sentence that says what is wrong with a filter; undefined where nothing is. */
export function problemOfFilter(
  { eventKinds }: Pick<Contract, 'eventKinds'>,
  filter: FilterRow,
): string | undefined {
  const kinds = Object.keys(eventKinds)
  const stranger = filter.types?.find(word => !kinds.some(kind => matchesType(word, kind)))
  if (stranger !== undefined)
    return `types: ${JSON.stringify(stranger)} names no kind of event and no family like war.*. There are ${kinds.join(', ')}.`
  for (const [name, values] of Object.entries(filter)) {
    if (values === null) continue
    if (values.length === 0) return `${name}: is empty, so nothing would be heard; leave it out to hear all.`
    if (values.length > limits.idsMax) return `${name}: has more than ${limits.idsMax} entries.`
  }
  return undefined
}
