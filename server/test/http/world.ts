import { type FactResource, type Operation, operations, primaryKeys } from '@chancery/contract'
import { importDay } from '../../src/resources/history/record-day.ts'
import type { DatabasePool } from '../../src/store/database.ts'
import { put } from '../ingest/facts.ts'
import { newRows } from '../ingest/wrong-facts.ts'
import type { Fact, TestServer } from '../support/test-server.ts'

const at = (day: number) => `2026-05-${String(day).padStart(2, '0')}T10:00:00Z`

/** The id of a nation's player. */
export const playerOf = (nationId: string) => `player-of-${nationId}`

const nation = (id: string, nationName: string, score: number, more: object = {}) =>
  put('nation', {
    id,
    nation_name: nationName,
    leader_name: `Leader of ${nationName}`,
    national_score: score,
    player: playerOf(id),
    ...more,
  })

/** Values that only the owner or no API client may read: unlike any public value. */
export const secrets = {
  tanks: 770_123_401,
  reserves: 770_123_402,
  missiles: 770_123_403,
  credits: 770_123_404,
  queued: 770_123_405,
  weariness: 770_123_406,
  treasury: 770_123_407,
  note: 'hold the strait in secret',
  moderation: 'warned for a motto in secret',
}

export const ownSections = {
  military: {
    units: { tanks: secrets.tanks },
    reserves: { tanks: secrets.reserves },
    readiness: 87.5,
    strategic: { nuclear_missile: secrets.missiles },
  },
  economy: { credits: secrets.credits, resources: { steel: 12 } },
  production: {
    queue: [{ item: 'tanks', quantity: secrets.queued, completes_at: '2026-06-28T06:00:00Z' }],
  },
  assignments: [
    { alliance_id: 'a1', kind: 'defend', target_nation_id: 'n5', note: secrets.note, due_at: null },
  ],
}

/**
 * A small world in which every operation returns data. In the alliance a1: n1 its leader, n2 an officer,
 * n3 a member, n4 an applicant. n5 leads a2 with the officer n6. n7 has no alliance.
 */
export function smallWorld(): Fact[] {
  const facts = describedWorld()
  const derived = Object.values<Operation>(operations).filter(operation => 'order' in operation)
  const others = derived.flatMap(({ returns: { resources } }) => resources as FactResource[])
  const isIn = (name: FactResource) => facts.some(({ resource }) => resource === name)
  return [
    ...facts,
    // Two items of every other list.
    ...others
      .filter(name => !isIn(name))
      .flatMap(name =>
        [1, 2].map(number => put(name, { ...newRows[name], [primaryKeys[name]]: `${name}${number}` })),
      ),
  ]
}

export const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

/** Three days of history of n1 and a1, and prices of this day. */
export async function addHistory(
  chancery: Pick<TestServer, 'ingest'>,
  pool: DatabasePool,
  days = ['2026-05-01', '2026-05-02', '2026-05-03'],
): Promise<void> {
  await chancery.ingest([
    put('market_price', { resource: 'steel', price: 410, as_of: hoursAgo(3) }),
    put('market_price', { resource: 'food', price: 2, as_of: hoursAgo(1) }),
  ])
  for (const day of days)
    await importDay(pool, day, [{ id: 'n1', national_score: 1, city_count: null, alliance_id: 'a1' }])
}

function describedWorld(): Fact[] {
  return [
    put('alliance', {
      id: 'a1',
      name: 'Northern Pact',
      tag: 'NP',
      treasury: { credits: secrets.treasury, resources: { steel: 41 } },
      moderation_notes: secrets.moderation,
    }),
    put('alliance', { id: 'a2', name: 'Free Ports', tag: 'FP', treasury: { credits: 5, resources: {} } }),
    nation('n1', 'Valdoria', 1843.25, {
      ...ownSections,
      attributes: { literacy_percent: 93.5, war_weariness: secrets.weariness % 100 },
      moderation_notes: secrets.moderation,
    }),
    nation('n2', 'Karsk', 1500),
    nation('n3', 'Ostmark', 1200, ownSections),
    nation('n4', 'Belport', 900),
    nation('n5', 'Tresk', 1400),
    nation('n6', 'Ulmen', 1100),
    nation('n7', 'Sorrow', 100),
    put('alliance_member', { nation_id: 'n1', alliance_id: 'a1', rank: 'leader', joined_at: at(1) }),
    put('alliance_member', { nation_id: 'n2', alliance_id: 'a1', rank: 'officer', joined_at: at(2) }),
    put('alliance_member', { nation_id: 'n3', alliance_id: 'a1', rank: 'member', joined_at: at(3) }),
    put('alliance_application', { nation_id: 'n4', alliance_id: 'a1', applied_at: at(4) }),
    put('alliance_member', { nation_id: 'n5', alliance_id: 'a2', rank: 'leader', joined_at: at(1) }),
    put('alliance_member', { nation_id: 'n6', alliance_id: 'a2', rank: 'officer', joined_at: at(2) }),
    put('era', { id: 'e1', number: 1, name: 'First Age', status: 'active', started_at: at(1) }),
    put('conflict', {
      id: 'c1',
      name: 'War of the Straits',
      started_at: at(5),
      era_id: 'e1',
      sides: [
        { name: 'North', alliances: [{ alliance_id: 'a1' }] },
        { name: 'South', alliances: [{ alliance_id: 'a2' }] },
      ],
    }),
    put('war', {
      id: 'w1',
      type: 'conquest',
      attacker: { nation_id: 'n1' },
      defender: { nation_id: 'n5' },
      declared_at: at(6),
      conflict_id: 'c1',
      era_id: 'e1',
    }),
    put('battle', {
      id: 'b1',
      war_id: 'w1',
      kind: 'ground',
      fought_at: at(7),
      attacker_nation_id: 'n1',
      defender_nation_id: 'n5',
      victor: 'attacker',
      losses: { attacker: { tanks: 3 }, defender: { tanks: 9 } },
    }),
    put('market_price', { resource: 'steel', price: 412.5, traded_value_24h: 75_075, as_of: at(8) }),
    put('market_price', { resource: 'food', price: 2.25, traded_value_24h: 100, as_of: at(8) }),
    put('news_item', { id: 'news1', title: 'The straits are closed', category: null, published_at: at(9) }),
    {
      op: 'event',
      data: {
        type: 'strategic_weapon.launched',
        occurred_at: at(9),
        data: { weapon: 'nuclear_missile', attacker_nation_id: 'n1', defender_nation_id: 'n5' },
      },
    },
  ]
}

/** The ids in paths. */
const pathIds: Record<string, string> = {
  'nations.get': 'n1',
  'nations.history': 'n1',
  'alliances.get': 'a1',
  'alliances.history': 'a1',
  'alliances.members': 'a1',
  'treaties.get': 'treaty1',
  'wars.get': 'w1',
  'wars.battles': 'w1',
  'battles.get': 'b1',
}

/** Every operation of the contract, with a path in the small world. */
export const everyOperation = Object.values(operations).map(operation => ({
  operation,
  path: operation.path.replace('{id}', pathIds[operation.id] ?? '{id}').replace('{code}', 'NOSUCHCODE'),
}))

/** Operations with the same response for all viewers, without the stream. */
export const sharedOperations = everyOperation.filter(
  ({ operation }) => operation.cache !== 'private' && operation.cache !== 'stream',
)
