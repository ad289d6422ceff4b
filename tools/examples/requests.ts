import type { Operation } from '@chancery/contract'

/** The subjects of the examples. */
export interface ExampleSubjects {
  nationId: string
  /** With every scope, of the nation's player. */
  key: string
  /** A valid code of the nation. */
  code: string
  /** The nation's alliance. */
  allianceId: string
  /** With every scope, of an officer of the alliance. */
  officerKey: string
  /** A war of the nation, with battles. */
  warId: string
}

export interface ExampleRequest {
  /** Below a base, with its query. */
  path: string
  key?: string
  /** Recorded instead of a path with a secret. */
  shown?: string
}

/** For each operation a request for each component of its response. */
export function exampleRequests(
  cast: ExampleSubjects,
): Record<Operation['id'], Record<string, ExampleRequest>> {
  const { nationId, key, code, allianceId, officerKey, warId } = cast
  return {
    'nations.list': { Nation: { path: '/nations?limit=2' } },
    'nations.get': { Nation: { path: `/nations/${nationId}` } },
    'alliances.list': { Alliance: { path: '/alliances?limit=2' } },
    'alliances.get': {
      Alliance: { path: `/alliances/${allianceId}` },
      AllianceWithTreasury: { path: `/alliances/${allianceId}?include=treasury`, key: officerKey },
    },
    'alliances.members': { AllianceMember: { path: `/alliances/${allianceId}/members?limit=2` } },
    'wars.list': { War: { path: '/wars?status=active&limit=2' } },
    'wars.get': { War: { path: `/wars/${warId}` } },
    'wars.battles': { Battle: { path: `/wars/${warId}/battles?limit=2` } },
    'market.price': { MarketPrice: { path: '/market/price?limit=2' } },
    'market.rankings': { MarketRanking: { path: '/market/rankings?limit=2' } },
    'rankings.list': {
      NationRanking: { path: '/rankings?limit=2' },
      AllianceRanking: { path: '/rankings?board=alliances&limit=2' },
    },
    'conflicts.list': { Conflict: { path: '/global-conflicts?limit=2' } },
    'eras.list': { Era: { path: '/eras?limit=2' } },
    'events.list': { Event: { path: '/events?type=war.*&limit=2' } },
    'news.list': { NewsItem: { path: '/news?limit=2' } },
    'game.get': { Game: { path: '/game' } },
    'me.nation': { OwnNation: { path: '/me/nation', key } },
    'me.key': { Key: { path: '/me/key', key } },
    'discord.verify': {
      VerifiedIdentity: { path: `/discord/verify/${code}`, shown: '/discord/verify/K7PWM3XQ9T' },
    },
  }
}
