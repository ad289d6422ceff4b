import { type Operation, operations, returnedName } from '@chancery/contract'

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
  /** A battle of the war. */
  battleId: string
  /** A treaty between nations. */
  treatyId: string
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

type ExampleRequests = Record<string, ExampleRequest>

/** For each operation a request for each component of its response. */
export function exampleRequests(subjects: ExampleSubjects): Record<Operation['id'], ExampleRequests> {
  const special = specialRequests(subjects)
  const described = Object.values<Operation>(operations).filter(({ cache }) => cache !== 'stream')
  return Object.fromEntries(
    described.map(operation => [operation.id, special[operation.id] ?? listRequest(operation)]),
  )
}

/** The start of a list. */
function listRequest({ id, path, returns }: Operation): ExampleRequests {
  const [resource, another] = returns.resources
  if (!returns.isList || !resource || another || path.includes('{'))
    throw new Error(`${id} has no example request`)
  return { [returnedName(returns, resource)]: { path: `${path}?limit=2` } }
}

/** The requests that are not for the start of a list. */
function specialRequests(subjects: ExampleSubjects): Record<Operation['id'], ExampleRequests> {
  const { nationId, key, code, allianceId, officerKey, treatyId, warId, battleId } = subjects
  return {
    'nations.get': { Nation: { path: `/nations/${nationId}` } },
    'nations.history': { NationHistoryPoint: { path: `/nations/${nationId}/history?limit=2` } },
    'alliances.history': { AllianceHistoryPoint: { path: `/alliances/${allianceId}/history?limit=2` } },
    'market.history': { PriceHistoryPoint: { path: '/market/price/history?interval=day&limit=2' } },
    'alliances.get': {
      Alliance: { path: `/alliances/${allianceId}` },
      AllianceWithTreasury: { path: `/alliances/${allianceId}?include=treasury`, key: officerKey },
    },
    'alliances.members': { AllianceMember: { path: `/alliances/${allianceId}/members?limit=2` } },
    'treaties.get': { Treaty: { path: `/treaties/${treatyId}` } },
    'wars.list': { War: { path: '/wars?status=active&limit=2' } },
    'wars.get': { War: { path: `/wars/${warId}` } },
    'battles.get': { AnyBattle: { path: `/battles/${battleId}` } },
    'wars.battles': { Battle: { path: `/wars/${warId}/battles?limit=2` } },
    'rankings.list': {
      NationRanking: { path: '/rankings?limit=2' },
      AllianceRanking: { path: '/rankings?board=alliances&limit=2' },
    },
    'events.list': { Event: { path: '/events?type=war.*&limit=2' } },
    'game.get': { Game: { path: '/game' } },
    'me.nation': { OwnNation: { path: '/me/nation', key } },
    'me.key': { Key: { path: '/me/key', key } },
    'discord.verify': {
      VerifiedIdentity: { path: `/discord/verify/${code}`, shown: '/discord/verify/K7PWM3XQ9T' },
    },
  }
}
