import type { Static, TObject, TSchema } from 'typebox'
import type { Resource } from './classification.ts'
import { historyKinds, marketKinds } from './events/history.ts'
import { type EventKind, gameKind } from './events/kind.ts'
import { allianceKinds, nationKinds, treatyKinds } from './events/nations.ts'
import { warKinds, weaponKinds } from './events/wars.ts'
import { inputSchema } from './facts.ts'
import { redactionSchema } from './maintenance-facts.ts'
import { type Profile, valueSchema } from './profile/profile.ts'
import { allianceResource } from './resources/alliance.ts'
import { allianceApplicationResource, allianceMemberResource } from './resources/alliance-member.ts'
import { changeResource } from './resources/change.ts'
import { conflictResource } from './resources/conflict.ts'
import { eventResource, newsItemResource } from './resources/event.ts'
import { eraResource, gameResource } from './resources/game.ts'
import {
  allianceHistoryPointResource,
  nationHistoryPointResource,
  priceHistoryPointResource,
} from './resources/history.ts'
import { keyResource, verifiedIdentityResource } from './resources/identity.ts'
import { marketPriceResource, marketRankingResource } from './resources/market.ts'
import { nationResource } from './resources/nation.ts'
import { allianceRankingResource, nationRankingResource } from './resources/ranking.ts'
import { treatyResource } from './resources/treaty.ts'
import { battleResource, warResource } from './resources/war.ts'
import { count, listOf, position, strictObject } from './shared-schemas.ts'
import { type RedactableResource, redactableResources, writtenTexts } from './text-origin.ts'

/**
 * Every resource. Those with a primary key are sent by the game, in the order in which a batch is applied: referenced ones come first.
 */
const resourceTable = {
  alliance: { make: allianceResource, key: 'id' },
  nation: { make: nationResource, key: 'id' },
  alliance_member: { make: allianceMemberResource, key: 'nation_id' },
  alliance_application: { make: allianceApplicationResource, key: 'nation_id' },
  treaty: { make: treatyResource, key: 'id' },
  era: { make: eraResource, key: 'id' },
  conflict: { make: conflictResource, key: 'id' },
  war: { make: warResource, key: 'id' },
  battle: { make: battleResource, key: 'id' },
  market_price: { make: marketPriceResource, key: 'resource' },
  news_item: { make: newsItemResource, key: 'id' },
  market_ranking: { make: marketRankingResource },
  nation_ranking: { make: nationRankingResource },
  alliance_ranking: { make: allianceRankingResource },
  nation_history_point: { make: nationHistoryPointResource },
  alliance_history_point: { make: allianceHistoryPointResource },
  price_history_point: { make: priceHistoryPointResource },
  event: { make: eventResource },
  change: { make: changeResource },
  game: { make: gameResource },
  key: { make: keyResource },
  verified_identity: { make: verifiedIdentityResource },
} as const satisfies Record<
  string,
  { make: (profile: Profile, eventTypes: string[]) => Resource; key?: string }
>

type ResourceTable = typeof resourceTable
export type ResourceName = keyof ResourceTable
export type FactResource = {
  [K in ResourceName]: ResourceTable[K] extends { key: string } ? K : never
}[ResourceName]

const entries = Object.entries<{ make: (profile: Profile, eventTypes: string[]) => Resource; key?: string }>(
  resourceTable,
)

/** The primary key of each resource that the game sends. */
export const primaryKeys = Object.fromEntries(
  entries.flatMap(([name, { key }]) => (key === undefined ? [] : [[name, key]])),
) as { readonly [K in FactResource]: ResourceTable[K]['key'] }

export const factResources = Object.keys(primaryKeys) as FactResource[]

/** Every kind that Chancery itself defines. */
const eventKindsOf = (profile: Profile) => ({
  ...warKinds(profile),
  ...allianceKinds(profile),
  ...treatyKinds(),
  ...nationKinds(),
  ...historyKinds(),
  ...marketKinds(profile),
  ...weaponKinds(profile),
})

type KnownKinds = ReturnType<typeof eventKindsOf>
export type EventType = keyof KnownKinds
export type EventData<K extends EventType> = Static<KnownKinds[K]['data']>

/** The kinds that a game adds in its profile. */
function gameEventKinds(profile: Profile): Record<string, EventKind> {
  return Object.fromEntries(
    profile.event_kinds.map(({ type, description, data }) => [
      type,
      gameKind(
        description,
        strictObject(
          Object.fromEntries(
            Object.entries(data).map(([member, value]) => [member, writtenTexts(valueSchema(value))]),
          ),
        ),
      ),
    ]),
  )
}

/** The whole contract for one game. */
export function contractFor(profile: Profile) {
  const eventKinds: Record<string, EventKind> = { ...eventKindsOf(profile), ...gameEventKinds(profile) }
  const resources = Object.fromEntries(
    entries.map(([name, { make }]) => [name, make(profile, Object.keys(eventKinds))]),
  ) as { readonly [K in ResourceName]: ReturnType<ResourceTable[K]['make']> }
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
