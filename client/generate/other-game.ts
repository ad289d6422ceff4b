import { type Attribute, demoProfile, type Profile, valueTypes } from '@chancery/contract'

const renamed = <T extends { key: string }>(terms: readonly T[]): T[] =>
  terms.map(term => ({ ...term, key: `other_${term.key}` }))

const attributes: Attribute[] = valueTypes.map(type => ({
  key: `other_${type}`,
  type,
  description: 'An attribute.',
  class: 'public',
  example: null,
}))

/**
 * A game that shares no key with the demo game, so that the client's types contain only what all games have in common.
 */
export const otherGame: Profile = {
  ...demoProfile,
  currency: { key: 'other_currency', label: 'Other currency', decimals: 2, price_decimals: 8 },
  units: renamed(demoProfile.units),
  resources: renamed(demoProfile.resources),
  ranks: renamed(demoProfile.ranks),
  governments: renamed(demoProfile.governments),
  continents: renamed(demoProfile.continents),
  nation_statuses: renamed(demoProfile.nation_statuses ?? []),
  war_outcomes: renamed(demoProfile.war_outcomes ?? []),
  war_types: renamed(demoProfile.war_types),
  battle_kinds: renamed(demoProfile.battle_kinds),
  treaty_types: renamed(demoProfile.treaty_types),
  news_categories: renamed(demoProfile.news_categories),
  event_kinds: demoProfile.event_kinds.map(kind => ({ ...kind, type: `${kind.type}_of_the_other` })),
  attributes: { nation: attributes, alliance: attributes },
}
