import assert from 'node:assert/strict'
import {
  type Contract,
  contractFor,
  type FactResource,
  type Profile,
  primaryKeys,
  valueTypes,
} from '@chancery/contract'
import { fill, isHidden, type Schema, type Slot, slotsOf } from './slots.ts'
import { viewers } from './viewers.ts'
import { ids } from './world.ts'

/** Attributes of every class and type besides what a game has. */
const further: Profile['attributes'] = {
  // A truth value is no canary.
  nation: valueTypes
    .filter(type => type !== 'boolean')
    .flatMap(type => [
      {
        key: `own_${type}`,
        type,
        description: 'Own.',
        class: 'player_private',
        scope: 'economy.read',
        example: null,
      },
      { key: `kept_${type}`, type, description: 'Kept.', class: 'admin_only', example: null },
    ]),
  alliance: [
    {
      key: 'plan',
      type: 'string',
      description: 'A plan.',
      class: 'alliance_private',
      scope: 'treasury.read',
      example: null,
    },
    {
      key: 'kept_secretly',
      type: 'string',
      description: 'Canary of words.',
      class: 'admin_only',
      example: null,
    },
  ],
}

/** A game and its world, with a canary in every place that some viewer may not read. It is derived from the profile. */
export interface CanaryWorld {
  profile: Profile
  contract: Contract
  /** Those that the facts made so far hold. */
  canaries: Canary[]
  /** The final positions of the viewers, without history. */
  facts(): Put[]
  /** Facts that fill every hidden slot of a row with canaries. */
  secretsOf(resource: FactResource, id: string, except?: string[]): Put[]
}

type Put = {
  op: 'put'
  resource: FactResource
  data: Record<string, unknown>
}

/** A unique value, and its place. */
export interface Canary {
  text: string
  slot: Slot
  id: string
}

export function canaryWorld(game: Profile): CanaryWorld {
  const profile: Profile = {
    ...game,
    attributes: {
      nation: [...game.attributes.nation, ...further.nation],
      alliance: [...game.attributes.alliance, ...further.alliance],
    },
  }
  const contract = contractFor(profile)
  const canaries: Canary[] = []
  let hatched = 0

  /** A value of a schema in which every text and number is a canary. Words of a list, and yes or no, cannot be one. */
  function marked(schema: Schema, slot: Slot, id: string): unknown {
    const [type] = [schema.type ?? 'object'].flat().filter(each => each !== 'null')
    if (schema.enum) return schema.enum[0]
    // PostgreSQL writes no zero at the end of a fraction.
    hatched += hatched % 10 === 9 ? 2 : 1
    const note = (text: string) => {
      canaries.push({ text, slot, id })
      return text
    }
    const number = 700_000 + hatched
    switch (type) {
      case 'boolean':
        return null
      case 'integer':
        return Number(note(`${number}555111`))
      case 'number':
        return Number(note(`${number}.5511`))
      case 'string':
        if (schema.format === 'date-time') return `${note(`2031-01-01T00:00:00.${number}`)}Z`
        return note(`canary_${hatched}_x`)
      case 'array':
        return [marked(schema.items ?? {}, slot, id), marked(schema.items ?? {}, slot, id)]
      default:
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([key, member]) => [key, marked(member, slot, id)]),
        )
    }
  }

  function secretsOf(resource: FactResource, id: string, except: string[] = []): Put[] {
    const slots = slotsOf(contract, resource).filter(
      slot => isHidden(slot) && !except.includes(slot.path[0] ?? ''),
    )
    return slots.map(slot => ({
      op: 'put' as const,
      resource,
      data: { [primaryKeys[resource]]: id, ...fill(slot.path, marked(slot.schema, slot, id)) },
    }))
  }

  const rankOf = (tier: string) => profile.ranks.find(rank => rank.tier === tier)?.key

  const put = (resource: FactResource, data: Record<string, unknown>): Put => ({ op: 'put', resource, data })

  function facts(): Put[] {
    const tiers: Record<string, string> = {
      n_leader: 'leader',
      n_officer: 'officer',
      n_barred: 'officer',
      n_ally: 'leader',
      n_enemy: 'leader',
      n_reborn: 'leader',
    }
    const allianceOf = new Map(viewers.map(viewer => [viewer.nation, viewer.alliance]))
    const playerOf = new Map(viewers.map(viewer => [viewer.nation, viewer.player]))
    const standing: Record<string, boolean> = { n_trusted: true, n_barred: false }
    return [
      ...ids.alliance.map(id => put('alliance', { id, name: `The ${id}` })),
      ...ids.nation.map(id =>
        put('nation', { id, nation_name: `The ${id}`, player: playerOf.get(id) ?? null }),
      ),
      ...ids.nation
        .filter(id => allianceOf.get(id))
        .map(id =>
          put('alliance_member', {
            nation_id: id,
            alliance_id: allianceOf.get(id),
            rank: rankOf(tiers[id] ?? 'member'),
            can_view_treasury: standing[id] ?? null,
          }),
        ),
      put('war', {
        id: 'w_1',
        attacker: { nation_id: 'n_leader' },
        defender: { nation_id: 'n_enemy' },
        declared_at: '2026-05-01T00:00:00Z',
      }),
      ...ids.nation.flatMap(id =>
        secretsOf('nation', id, ['assignments', ...(playerOf.has(id) ? ['player'] : [])]),
      ),
      ...ids.alliance.flatMap(id => secretsOf('alliance', id)),
      ...ids.nation.map(id => put('nation', { id, ...ownAssignment(id, allianceOf.get(id)) })),
      ...secretsOf('alliance_application', 'n_applicant'),
    ]
  }

  /** One assignment of the own alliance, and one of another: a member sees the first. */
  function ownAssignment(id: string, alliance: string | undefined) {
    const slot = slotsOf(contract, 'nation').find(({ path }) => path[0] === 'assignments')
    assert.ok(slot)
    const { items = {} } = slot.schema
    const { alliance_id: _, ...properties } = items.properties ?? {}
    const own =
      alliance === undefined
        ? []
        : [{ ...(marked({ properties }, slot, id) as object), alliance_id: alliance }]
    const foreign = marked(items, { ...slot, fieldClass: 'admin_only' }, id)
    return { assignments: [...own, foreign] }
  }

  return { profile, contract, canaries, facts, secretsOf }
}
