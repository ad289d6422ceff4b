import type { PageInfo } from '@chancery/contract'

export interface EventFamily {
  /** Like `war`. */
  name: string
  /** The word of a filter that names them all, like `war.*`. */
  wildcard: string
  eventKinds: PageInfo['event_kinds']
}

/** Kinds by the word before their first dot, in the order in which they come. */
export function groupByFamily(kinds: PageInfo['event_kinds']): EventFamily[] {
  const families = new Map<string, PageInfo['event_kinds']>()
  for (const kind of kinds) {
    const name = kind.type.split('.')[0] ?? kind.type
    families.set(name, [...(families.get(name) ?? []), kind])
  }
  return [...families].map(([name, members]) => ({ name, wildcard: `${name}.*`, eventKinds: members }))
}

/** The filter with a word added or taken away. A whole family stands in for its kinds. */
export function toggleType(types: string[], family: EventFamily, word: string, isOn: boolean): string[] {
  if (!isOn) return types.filter(other => other !== word)
  const covered = word === family.wildcard ? family.eventKinds.map(({ type }) => type) : []
  return [...types.filter(other => !covered.includes(other)), word]
}
