import { test } from 'node:test'
import type {
  Contract,
  ErrorCode as ContractErrorCode,
  EventType as ContractEventType,
  EventData,
  Operation,
  operations,
  PublicOf,
  ReadableOf,
  ValuesFor,
} from '@chancery/contract'
import type * as api from '../src/api-types.ts'

// The type check is the test: a difference to the contract does not compile.

/** A type without aliases, so that equal types compare as equal. JSON has no undefined. */
type Plain<T> = T extends readonly (infer I)[]
  ? Plain<I>[]
  : T extends object
    ? string extends keyof T
      ? Record<string, T[keyof T]>
      : { [K in keyof T]: Plain<Exclude<T[K], undefined>> }
    : T
type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false
type Resource<N extends keyof Contract['resources']> = Contract['resources'][N]

const isSame = <T extends true>(claim: T) => claim

/** The optional parameters of an operation: all but those in its path. */
type Parameters<O extends Operation, Path extends string = never> = {
  [K in Exclude<keyof ValuesFor<O>, Path>]?: ReadonlyLists<ValuesFor<O>[K]>
}
type ReadonlyLists<T> = T extends (infer I)[] ? readonly I[] : T

test('the type of each resource has the contract’s public fields', () => {
  isSame<Same<api.Nation, PublicOf<Resource<'nation'>>>>(true)
  isSame<Same<api.Alliance, PublicOf<Resource<'alliance'>>>>(true)
  isSame<Same<api.AllianceMember, PublicOf<Resource<'alliance_member'>>>>(true)
  isSame<Same<api.Treaty, PublicOf<Resource<'treaty'>>>>(true)
  isSame<Same<api.War, PublicOf<Resource<'war'>>>>(true)
  isSame<Same<api.AnyBattle, PublicOf<Resource<'battle'>>>>(true)
  isSame<Same<Required<api.Battle>, PublicOf<Resource<'battle'>> & { war_id: string }>>(true)
  isSame<Same<api.MarketPrice, PublicOf<Resource<'market_price'>>>>(true)
  isSame<Same<api.MarketRanking, PublicOf<Resource<'market_ranking'>>>>(true)
  isSame<Same<api.NationRanking, PublicOf<Resource<'nation_ranking'>>>>(true)
  isSame<Same<api.AllianceRanking, PublicOf<Resource<'alliance_ranking'>>>>(true)
  isSame<Same<api.Conflict, PublicOf<Resource<'conflict'>>>>(true)
  isSame<Same<api.Era, PublicOf<Resource<'era'>>>>(true)
  isSame<Same<api.NewsItem, PublicOf<Resource<'news_item'>>>>(true)
  isSame<Same<api.Game, PublicOf<Resource<'game'>>>>(true)
  isSame<Same<api.Key, PublicOf<Resource<'key'>>>>(true)
  isSame<Same<api.VerifiedIdentity, PublicOf<Resource<'verified_identity'>>>>(true)
})

test('the type of each owner view has the contract’s fields for owners', () => {
  isSame<Same<api.OwnNation, ReadableOf<Resource<'nation'>>>>(true)
  isSame<Same<api.AllianceWithTreasury, ReadableOf<Resource<'alliance'>>>>(true)
})

test('the kinds of events and their data are those of the contract', () => {
  isSame<Same<api.EventType, ContractEventType>>(true)
  isSame<Same<api.EventDataOf, { [K in ContractEventType]: EventData<K> }>>(true)
})

test('the codes of errors are those of the contract', () => {
  isSame<Same<api.ErrorCode, ContractErrorCode>>(true)
})

test('every parameter has the type that the contract parses', () => {
  type Operations = typeof operations
  isSame<Same<api.NationsListParameters, Parameters<Operations['nationsList']>>>(true)
  isSame<Same<api.AlliancesListParameters, Parameters<Operations['alliancesList']>>>(true)
  isSame<Same<api.AlliancesGetParameters, Parameters<Operations['alliancesGet'], 'id'>>>(true)
  isSame<Same<api.AlliancesMembersParameters, Parameters<Operations['alliancesMembers'], 'id'>>>(true)
  isSame<Same<api.WarsListParameters, Parameters<Operations['warsList']>>>(true)
  isSame<Same<api.WarsBattlesParameters, Parameters<Operations['warsBattles'], 'id'>>>(true)
  isSame<Same<api.MarketPriceParameters, Parameters<Operations['marketPrice']>>>(true)
  isSame<Same<api.MarketRankingsParameters, Parameters<Operations['marketRankings']>>>(true)
  isSame<Same<api.RankingsListParameters, Parameters<Operations['rankingsList']>>>(true)
  isSame<Same<api.ConflictsListParameters, Parameters<Operations['conflictsList']>>>(true)
  isSame<Same<api.ErasListParameters, Parameters<Operations['erasList']>>>(true)
  isSame<Same<api.EventsListParameters, Parameters<Operations['eventsList']>>>(true)
  isSame<Same<api.NewsListParameters, Parameters<Operations['newsList']>>>(true)
  isSame<Same<api.MeNationParameters, Parameters<Operations['meNation']>>>(true)
  isSame<Same<api.DiscordVerifyParameters, Parameters<Operations['discordVerify'], 'code'>>>(true)
})

test('a ranking has the items of its board', () => {
  const read = async ({ rankings }: api.Operations, board: 'nations' | 'alliances') => {
    const [nation] = (await rankings.list()).data
    const [other] = (await rankings.list({ board: 'nations', limit: 1 })).data
    const [alliance] = (await rankings.list({ board: 'alliances' })).data
    const [either] = (await rankings.list({ board })).data
    isSame<Same<typeof nation, api.NationRanking | undefined>>(true)
    isSame<Same<typeof other, api.NationRanking | undefined>>(true)
    isSame<Same<typeof alliance, api.AllianceRanking | undefined>>(true)
    isSame<Same<typeof either, api.NationRanking | api.AllianceRanking | undefined>>(true)
    for await (const item of rankings.iterate({ board: 'alliances' })) item satisfies api.AllianceRanking
    // @ts-expect-error There is no such board.
    await rankings.list({ board: 'players' })
  }
  read satisfies (operations: api.Operations, board: 'nations') => Promise<void>
  isSame<Same<keyof api.RankingsListItems, Exclude<api.RankingsListParameters['board'], undefined>>>(true)
})

test('events are discriminated by their type, and an unknown kind is not a known one', () => {
  const read = (event: api.ChanceryEvent): string => {
    if (event.type === 'war.declared') return event.data.attacker.nation_name
    if (event.type === 'battle.fought') return event.data.battle_id
    if (event.type === 'game.flood') return String(event.data.severity)
    // @ts-expect-error The data of an unknown kind is unknown.
    return event.data.attacker.nation_name
  }
  read satisfies (event: api.LaterEvent) => string
})
