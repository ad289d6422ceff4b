import type { TObject, TSchema } from 'typebox'
import type { Resource } from './classification.ts'
import { type EventKind, eventKindsOf, gameEventKinds } from './events/index.ts'
import { inputSchema } from './facts.ts'
import { redactionSchema } from './maintenance-facts.ts'
import type { Profile } from './profile/profile.ts'
import type { ResourceName } from './public/operation.ts'
import { allianceResource, treatyResource } from './resources/alliance.ts'
import { allianceApplicationResource, allianceMemberResource } from './resources/alliance-member.ts'
import { conflictResource } from './resources/conflict.ts'
import { eventResource, newsItemResource } from './resources/event.ts'
import { eraResource, gameResource } from './resources/game.ts'
import { keyResource, verifiedIdentityResource } from './resources/identity.ts'
import { marketPriceResource, marketRankingResource } from './resources/market.ts'
import { nationResource } from './resources/nation.ts'
import { allianceRankingResource, nationRankingResource } from './resources/ranking.ts'
import { battleResource, warResource } from './resources/war.ts'
import { count, listOf, position, strictObject } from './shared-schemas.ts'
import { type RedactableResource, redactableResources } from './text-origin.ts'

/** The primary key of each resource that the game sends. */
export const primaryKeys = {
  alliance: 'id',
  nation: 'id',
  alliance_member: 'nation_id',
  alliance_application: 'nation_id',
  treaty: 'id',
  era: 'id',
  conflict: 'id',
  war: 'id',
  battle: 'id',
  market_price: 'resource',
  news_item: 'id',
} as const

export type FactResource = keyof typeof primaryKeys
/** In the order in which a batch is applied: referenced resources come first. */
export const factResources = Object.keys(primaryKeys) as FactResource[]

/** The whole contract for one game. */
export function contractFor(profile: Profile) {
  const eventKinds: Record<string, EventKind> = { ...eventKindsOf(profile), ...gameEventKinds(profile) }
  const resources = {
    nation: nationResource(profile),
    alliance: allianceResource(profile),
    alliance_member: allianceMemberResource(profile),
    alliance_application: allianceApplicationResource(),
    treaty: treatyResource(profile),
    war: warResource(profile),
    battle: battleResource(profile),
    market_price: marketPriceResource(profile),
    market_ranking: marketRankingResource(profile),
    nation_ranking: nationRankingResource(profile),
    alliance_ranking: allianceRankingResource(),
    conflict: conflictResource(profile),
    era: eraResource(),
    event: eventResource(profile, Object.keys(eventKinds)),
    news_item: newsItemResource(profile),
    game: gameResource(profile),
    key: keyResource(),
    verified_identity: verifiedIdentityResource(profile),
  } as const satisfies Record<ResourceName | FactResource, Resource>
  const factSchemas = Object.fromEntries(
    factResources.map(name => [name, inputSchema(resources[name], primaryKeys[name])]),
  ) as Record<FactResource, TObject>
  const redactionSchemas = Object.fromEntries(
    redactableResources.map(name => [name, redactionSchema(name, factSchemas[name])]),
  ) as Record<RedactableResource, TObject>
  return { profile, resources, eventKinds, factSchemas, redactionSchemas }
}

export type Contract = ReturnType<typeof contractFor>
export type ResourceOf<N extends keyof Contract['resources']> = Contract['resources'][N]

/** The list envelope. */
export const pagination = strictObject(
  {
    page: position({ description: 'Current page, from 1.' }),
    limit: position({ description: 'Page size in effect.' }),
    total: count({ description: 'Number of items over all pages; exact.' }),
    pages: count({ description: 'Number of pages; 0 when there are no items.' }),
  },
  { description: 'Position of this page in the list.' },
)

export const itemEnvelope = (item: TSchema) => strictObject({ data: item })
export const listEnvelope = (item: TSchema) => strictObject({ data: listOf(item), pagination })
