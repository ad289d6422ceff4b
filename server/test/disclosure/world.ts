import type { Contract, FactResource, Profile } from '@chancery/contract'
import fc from 'fast-check'
import type { Fact } from '../support/test-server.ts'
import { fill, isHidden, slotsOf } from './slots.ts'
import { valuesOf } from './values.ts'

/** The public facts of a world: its batches in order, each fact with its time. */
export type Script = Fact[][]

export const batchCount = 5
export const ids = {
  nation: [
    'n_leader', 'n_officer', 'n_member', 'n_trusted', 'n_barred', 'n_demoted', 'n_mover', 'n_applicant', 'n_ally',
    'n_enemy', 'n_taken', 'n_reborn', 'n_filler', 'n_other',
  ],
  alliance: ['a_one', 'a_two', 'a_three', 'a_again'],
  war: ['w_1', 'w_2'],
} // biome-ignore format: rows of ids read better than one a line

/** The batch that creates a row for the last time: its earlier values are deleted. */
export const bornIn = (id: string): number => (id === 'n_reborn' || id === 'a_again' ? 3 : 0)

/** The batch since which a viewer's nation has its final position in its alliance. */
export const memberSince = (id: string): number => (id === 'n_mover' ? 2 : bornIn(id))

/** Whether a row exists at the end of a batch. */
export const exists = (id: string, batch: number): boolean => bornIn(id) !== 3 || batch !== 2

const timeOf = (batch: number) => `2026-06-0${batch + 1}T12:00:00Z`
const rankOf = ({ ranks }: Profile, tier: string) => ranks.find(rank => rank.tier === tier)?.key ?? ''

type Changes = Record<string, unknown>
interface Chance {
  /** For each batch, changes of public fields of some rows. */
  nations: Partial<Record<string, Changes>>[]
  alliances: Partial<Record<string, Changes>>[]
}

/** Some public fields of a resource, each with a valid value. */
function publicChanges(contract: Contract, resource: FactResource): fc.Arbitrary<Changes> {
  const slots = slotsOf(contract, resource).filter(slot => !isHidden(slot))
  const values = fc.record(
    Object.fromEntries(slots.map(slot => [slot.path.join('.'), valuesOf(slot.schema)])),
    {
      requiredKeys: [],
    },
  )
  return values.map(said =>
    slots.reduce((data: Changes, { path }) => {
      const value = said[path.join('.')]
      return value === undefined ? data : mergeInto(data, fill(path, value))
    }, {}),
  )
}

/** Merges changes into earlier ones of the same row. */
export function mergeInto(data: Changes, said: Changes): Changes {
  const isObject = (value: unknown): value is Changes =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = Object.entries(said).map(([name, value]) => {
    const known = Object.hasOwn(data, name) ? data[name] : undefined
    return [name, isObject(known) && isObject(value) ? mergeInto(known, value) : value]
  })
  return { ...data, ...Object.fromEntries(entries) }
}

/** Public histories of one cast: viewers with every standing, who rise, fall, move, lose nations and are deleted. */
export function scripts(contract: Contract): fc.Arbitrary<Script> {
  const some = (list: readonly string[], changes: fc.Arbitrary<Changes>) =>
    fc.array(fc.record(Object.fromEntries(list.map(id => [id, changes])), { requiredKeys: [] }), {
      minLength: batchCount,
      maxLength: batchCount,
    })
  return fc
    .record({
      nations: some(ids.nation, publicChanges(contract, 'nation')),
      alliances: some(ids.alliance, publicChanges(contract, 'alliance')),
    })
    .map(chance => scriptOf(contract.profile, chance))
}

function scriptOf(profile: Profile, chance: Chance): Script {
  const [leader, officer, member] = ['leader', 'officer', 'member'].map(tier => rankOf(profile, tier))
  // A list without words takes any.
  const [first = 'anything', second] = profile.resources.map(({ key }) => key)
  const [treaty = 'pact', otherTreaty = treaty] = profile.treaty_types.map(({ key }) => key)
  const weapon = profile.units.find(unit => unit.is_strategic)?.key ?? 'bolt'
  const losses = Object.fromEntries(
    profile.units.filter(unit => unit.shows_in_losses).map(({ key }) => [key, 3]),
  )
  const leads: Record<string, string> = { n_taken: 'p_loser' }

  const put = (batch: number, resource: FactResource, data: Changes): Fact => ({
    op: 'put',
    resource,
    data,
    at: timeOf(batch),
  })
  const remove = (batch: number, resource: FactResource, id: string): Fact => ({
    op: 'delete',
    resource,
    id,
    at: timeOf(batch),
  })
  const nation = (batch: number, id: string) => {
    const born =
      bornIn(id) === batch || batch === 0
        ? { nation_name: `The ${id}`, player: leads[id] ?? playerOf(id) }
        : {}
    const { status, ...changes } = chance.nations[batch]?.[id] ?? {}
    // A fact with both states the same.
    const fixed = typeof changes.game_status === 'string' || status === undefined ? {} : { status }
    return put(batch, 'nation', { ...born, ...fixed, ...changes, id })
  }
  const alliance = (batch: number, id: string) => {
    const born = bornIn(id) === batch || batch === 0 ? { name: `The ${id}`, tag: id.slice(2, 5) } : {}
    return put(batch, 'alliance', { ...born, ...chance.alliances[batch]?.[id], id })
  }
  const joins = (
    batch: number,
    nation_id: string,
    alliance_id: string,
    rank: string | undefined,
    more: Changes = {},
  ) => put(batch, 'alliance_member', { nation_id, alliance_id, rank, joined_at: timeOf(batch), ...more })
  const changed = (batch: number) => [
    ...Object.keys(chance.alliances[batch] ?? {})
      .filter(id => exists(id, batch))
      .map(id => alliance(batch, id)),
    ...Object.keys(chance.nations[batch] ?? {})
      .filter(id => exists(id, batch))
      .map(id => nation(batch, id)),
  ]
  const price = (batch: number, resource: string, value: number, traded: number | null) =>
    put(batch, 'market_price', { resource, price: value, traded_value_24h: traded, as_of: timeOf(batch) })

  const founding = [
    ...ids.alliance.map(id => alliance(0, id)),
    ...ids.nation.map(id => nation(0, id)),
    joins(0, 'n_leader', 'a_one', leader),
    joins(0, 'n_officer', 'a_one', officer),
    joins(0, 'n_member', 'a_one', member),
    joins(0, 'n_trusted', 'a_one', member, { can_view_treasury: true }),
    joins(0, 'n_barred', 'a_one', officer, { can_view_treasury: false }),
    joins(0, 'n_demoted', 'a_one', officer),
    joins(0, 'n_mover', 'a_two', officer, { can_view_treasury: true }),
    joins(0, 'n_ally', 'a_two', leader),
    joins(0, 'n_enemy', 'a_three', leader),
    joins(0, 'n_other', 'a_three', member),
    joins(0, 'n_filler', 'a_again', leader),
    put(0, 'treaty', {
      id: 't_n',
      nation_ids: ['n_member', 'n_reborn'],
      types: [...new Set([treaty, otherTreaty])],
    }),
    put(0, 'treaty', { id: 't_1', alliance_ids: ['a_one', 'a_two'], type: treaty }),
    put(0, 'treaty', { id: 't_2', alliance_ids: ['a_one', 'a_again'], type: otherTreaty }),
    put(0, 'era', { id: 'e_1', name: 'First', started_at: timeOf(0) }),
    put(0, 'conflict', {
      id: 'c_1',
      name: 'Straits',
      started_at: timeOf(0),
      era_id: 'e_1',
      sides: [
        { name: 'North', alliances: [{ alliance_id: 'a_one' }, { alliance_id: 'a_again' }] },
        { name: 'South', alliances: [{ alliance_id: 'a_three' }] },
      ],
    }),
    price(0, first, 100, 5000),
    ...(second === undefined ? [] : [price(0, second, 20, null)]),
    put(0, 'news_item', {
      id: 'news_1',
      title: 'Valdoria wakes',
      published_at: timeOf(0),
      category: profile.news_categories[0]?.key,
    }),
  ]
  const war = (batch: number, id: string, attacker: string, defender: string, more: Changes = {}) =>
    put(batch, 'war', {
      id,
      attacker: { nation_id: attacker },
      defender: { nation_id: defender },
      declared_at: timeOf(batch),
      era_id: 'e_1',
      ...more,
    })
  const battle = (batch: number, id: string, war_id: string, attacker: string, defender: string) =>
    put(batch, 'battle', {
      id,
      war_id,
      fought_at: timeOf(batch),
      attacker_nation_id: attacker,
      defender_nation_id: defender,
      victor: 'attacker',
      losses: { attacker: losses, defender: losses },
    })
  return [
    founding,
    [
      war(1, 'w_1', 'n_member', 'n_enemy', { conflict_id: 'c_1' }),
      war(1, 'w_2', 'n_ally', 'n_other'),
      battle(1, 'b_1', 'w_1', 'n_member', 'n_enemy'),
      battle(1, 'b_2', 'w_1', 'n_enemy', 'n_member'),
      {
        op: 'event',
        data: {
          type: 'strategic_weapon.launched',
          occurred_at: timeOf(1),
          data: { weapon, attacker_nation_id: 'n_enemy', defender_nation_id: 'n_member', war_id: 'w_1' },
        },
      },
      ...changed(1),
    ],
    [
      remove(2, 'alliance', 'a_again'),
      remove(2, 'nation', 'n_reborn'),
      put(2, 'nation', { id: 'n_taken', player: 'p_thief' }),
      put(2, 'alliance_member', { nation_id: 'n_demoted', rank: member }),
      joins(2, 'n_mover', 'a_one', member),
      price(2, first, 130, 9000),
      ...changed(2),
    ],
    [
      alliance(3, 'a_again'),
      nation(3, 'n_reborn'),
      joins(3, 'n_reborn', 'a_again', leader),
      put(3, 'war', { id: 'w_2', ended_at: timeOf(3), outcome: 'attacker_victory' }),
      put(3, 'conflict', { id: 'c_1', ended_at: timeOf(3) }),
      put(3, 'era', {
        id: 'e_1',
        status: 'ended',
        ended_at: timeOf(3),
        champion: { alliance_id: 'a_one', name: 'One' },
      }),
      put(3, 'era', { id: 'e_2', name: 'Second', started_at: timeOf(3) }),
      remove(3, 'treaty', 't_1'),
      put(3, 'treaty', { id: 't_2', ended_at: timeOf(3) }),
    ],
    [
      battle(4, 'b_3', 'w_1', 'n_member', 'n_enemy'),
      put(4, 'news_item', {
        id: 'news_2',
        title: 'Karsk falls',
        published_at: timeOf(4),
        nation_ids: ['n_enemy'],
      }),
      ...changed(4),
    ],
  ]
}

const playerOf = (nation: string) => nation.replace('n_', 'p_')
