import {
  anyObject,
  change,
  color,
  count,
  decimal,
  exactly,
  id,
  link,
  listOf,
  mapOf,
  name,
  nullable,
  object,
  oneOf,
  position,
  type Shape,
  text,
  time,
  truth,
} from './shape.ts'

/** The public members of each resource. Written by hand: a copy of the server's own list could not fail. */

const membership = nullable(object({ alliance_id: id, rank: name, alliances: object({ name, tag: text }) }))
const attributes = mapOf((value, path) =>
  ['string', 'number', 'boolean'].includes(typeof value) || value === null
    ? []
    : [`${path} must be a plain value`],
)
const losses = object({ attacker: mapOf(count), defender: mapOf(count) })
const belligerent = object({
  nation_id: id,
  nation_name: name,
  alliance_id: nullable(id),
  alliance_name: nullable(name),
})

const nationMembers = {
  id,
  nation_name: name,
  leader_name: text,
  national_score: decimal,
  rank: nullable(position),
  status: oneOf('active', 'protected', 'vacation', 'inactive'),
  government: nullable(name),
  continent: nullable(name),
  color: nullable(color),
  flag_url: nullable(link),
  motto: nullable(text),
  founded_at: nullable(time),
  city_count: nullable(count),
  land_area: nullable(decimal),
  alliance: membership,
  wars: object({ active_offensive: count, active_defensive: count, won: count, lost: count }),
  url: nullable(link),
  updated_at: time,
  attributes,
}
export const nation = object(nationMembers)

/** The private sections of a nation, which its owner alone reads. */
export const ownSections = {
  military: nullable(
    object({
      units: nullable(mapOf(count)),
      reserves: nullable(mapOf(count)),
      readiness: nullable(decimal),
      strategic: nullable(mapOf(count)),
    }),
  ),
  economy: nullable(object({ credits: nullable(count), resources: nullable(mapOf(count)) })),
  production: nullable(
    object({ queue: listOf(object({ item: text, quantity: count, completes_at: nullable(time) })) }),
  ),
  assignments: nullable(
    listOf(
      object({
        alliance_id: id,
        kind: text,
        target_nation_id: nullable(id),
        note: nullable(text),
        due_at: nullable(time),
      }),
    ),
  ),
}
export type Section = keyof typeof ownSections

export const ownNation = (sections: readonly Section[]) =>
  object({
    ...nationMembers,
    ...Object.fromEntries(sections.map(section => [section, ownSections[section]])),
  })

const allianceMembers = {
  id,
  name,
  tag: text,
  rank: nullable(position),
  color: nullable(color),
  flag_url: nullable(link),
  description: nullable(text),
  founded_at: nullable(time),
  leader: nullable(object({ nation_id: id, nation_name: name })),
  member_count: count,
  total_score: decimal,
  average_score: decimal,
  recruiting: nullable(truth),
  treaties: listOf(
    object({ alliance_id: id, name, type: name, signed_at: nullable(time), expires_at: nullable(time) }),
  ),
  wars: object({ active: count, won: count, lost: count }),
  url: nullable(link),
  updated_at: time,
  attributes,
}
export const alliance = object(allianceMembers)
export const allianceWithTreasury = object({
  ...allianceMembers,
  treasury: nullable(object({ credits: nullable(count), resources: nullable(mapOf(count)) })),
})

export const allianceMember = object({
  nation_id: id,
  nation_name: name,
  leader_name: text,
  national_score: decimal,
  status: oneOf('active', 'protected', 'vacation', 'inactive'),
  rank: name,
  rank_title: text,
  joined_at: nullable(time),
})

export const war = object({
  id,
  type: nullable(name),
  status: oneOf('active', 'ended'),
  reason: nullable(text),
  attacker: belligerent,
  defender: belligerent,
  declared_at: time,
  ended_at: nullable(time),
  outcome: nullable(oneOf('attacker_victory', 'defender_victory', 'peace', 'stalemate')),
  battles_count: count,
  losses,
  conflict_id: nullable(id),
  era_id: nullable(id),
  url: nullable(link),
  updated_at: time,
})

export const battle = object({
  id,
  war_id: id,
  kind: nullable(name),
  fought_at: time,
  attacker_nation_id: id,
  defender_nation_id: id,
  victor: nullable(oneOf('attacker', 'defender', 'draw')),
  losses,
  infrastructure_destroyed: nullable(decimal),
})

const marketMembers = {
  resource: name,
  price: decimal,
  currency: name,
  best_bid: nullable(decimal),
  best_ask: nullable(decimal),
  high_24h: nullable(decimal),
  low_24h: nullable(decimal),
  volume_24h: nullable(count),
  traded_value_24h: nullable(count),
  trades_24h: nullable(count),
  change_24h_percent: nullable(change),
  as_of: time,
}
export const marketPrice = object(marketMembers)
export const marketRanking = object({ rank: position, ...marketMembers })

export const nationRanking = object({
  rank: position,
  previous_rank: nullable(position),
  nation: object({ id, nation_name: name, leader_name: text, alliance: membership }),
  national_score: decimal,
})
export const allianceRanking = object({
  rank: position,
  previous_rank: nullable(position),
  alliance: object({ id, name, tag: text }),
  total_score: decimal,
  member_count: count,
})

export const conflict = object({
  id,
  name,
  status: oneOf('active', 'ended'),
  cause: nullable(text),
  started_at: time,
  ended_at: nullable(time),
  sides: listOf(
    object({
      name,
      alliances: listOf(
        object({ alliance_id: id, name, joined_at: nullable(time), left_at: nullable(time) }),
      ),
      nation_count: count,
      battles_won: count,
      losses: mapOf(count),
    }),
  ),
  wars: object({ active: count, total: count }),
  battles_count: count,
  era_id: nullable(id),
})

export const era = object({
  id,
  number: nullable(count),
  name,
  status: oneOf('upcoming', 'active', 'ended'),
  started_at: nullable(time),
  ended_at: nullable(time),
  summary: nullable(text),
  champion: nullable(object({ alliance_id: id, name })),
})

export const event = object({
  id: name,
  seq: position,
  type: name,
  occurred_at: time,
  summary: text,
  nation_ids: listOf(id),
  alliance_ids: listOf(id),
  war_id: nullable(id),
  conflict_id: nullable(id),
  data: anyObject,
})

/** The data of `strategic_weapon.launched`: attacker, defender and weapon, but not what is left of them. */
export const weaponLaunch = object({
  weapon: name,
  attacker_nation_id: id,
  attacker_nation_name: name,
  defender_nation_id: id,
  defender_nation_name: name,
  war_id: nullable(id),
  battle_id: nullable(id),
})

export const newsItem = object({
  id,
  title: name,
  body: text,
  category: nullable(name),
  author: nullable(text),
  published_at: time,
  nation_ids: listOf(id),
  alliance_ids: listOf(id),
})

export const verifiedIdentity = object({
  verified: exactly(true),
  nation: object({ id, nation_name: name, leader_name: text, national_score: decimal }),
  alliance: membership,
})

export const one = (resource: Shape) => object({ data: resource })

export const page = (resource: Shape) =>
  object({
    data: listOf(resource),
    pagination: object({ page: position, limit: position, total: count, pages: count }),
  })
