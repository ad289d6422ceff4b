// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate

import type {
  Alliance,
  AllianceMember,
  AnyBattle,
  Conflict,
  Era,
  MarketPrice,
  Nation,
  NewsItem,
  Treaty,
  War,
} from './api-types.ts'

/** The items that a mirror copies, by resource. */
export interface MirroredItems {
  alliance: Alliance
  nation: Nation
  alliance_member: AllianceMember
  treaty: Treaty
  era: Era
  conflict: Conflict
  war: War
  battle: AnyBattle
  market_price: MarketPrice
  news_item: NewsItem
}

export type MirroredResource = keyof MirroredItems

/** The list of each resource, the parameter that takes keys of items, and the field that has the key. Items with a `rank` are ranked by `score`. */
export const mirrored: Readonly<
  Record<MirroredResource, Readonly<{ path: string; parameter: string; key: string; score?: string }>>
> = {
  alliance: { path: '/alliances', parameter: 'ids', key: 'id', score: 'total_score' },
  nation: { path: '/nations', parameter: 'ids', key: 'id', score: 'national_score' },
  alliance_member: { path: '/members', parameter: 'ids', key: 'nation_id' },
  treaty: { path: '/treaties', parameter: 'ids', key: 'id' },
  era: { path: '/eras', parameter: 'ids', key: 'id' },
  conflict: { path: '/global-conflicts', parameter: 'ids', key: 'id' },
  war: { path: '/wars', parameter: 'ids', key: 'id' },
  battle: { path: '/battles', parameter: 'ids', key: 'id' },
  market_price: { path: '/market/price', parameter: 'resource', key: 'resource' },
  news_item: { path: '/news', parameter: 'ids', key: 'id' },
}

/** Their names. */
export const mirroredResources = Object.keys(mirrored) as MirroredResource[]
