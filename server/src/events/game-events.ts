import type { EventType } from '@chancery/contract'
import type { Batch, GameEvent } from '../ingest/batch.ts'
import { sql } from '../store/database.ts'

interface WeaponData {
  weapon: string
  attacker_nation_id: string
  defender_nation_id: string
  war_id?: string | null
  battle_id?: string | null
}

/** Emits events that the game sent, because no change of state shows them. */
export async function emitGameEvents(batch: Batch, events: GameEvent[]): Promise<void> {
  const weapons = events.filter(({ type }) => type.startsWith('strategic_weapon.'))
  const wars = await warsOf(batch, weapons)
  const nationIds = weapons.flatMap(
    ({ data }) => [data.attacker_nation_id, data.defender_nation_id] as string[],
  )
  const names = await batch.nationNames(nationIds)
  const alliances = await alliancesOf(batch, nationIds)
  for (const event of events) {
    if (event.type.startsWith('game.')) emitCustomEvent(batch, event)
    else emitWeaponEvent(batch, event, { wars, alliances, names })
  }
}

function emitCustomEvent(batch: Batch, { line, type, occurred_at, ...event }: GameEvent): void {
  const { nation_ids = [], alliance_ids = [], war_id = null, conflict_id = null } = event
  for (const id of nation_ids) batch.requireKnown('nation', id, line, '/data/nation_ids')
  for (const id of alliance_ids) batch.requireKnown('alliance', id, line, '/data/alliance_ids')
  batch.requireKnown('war', war_id, line, '/data/war_id')
  batch.requireKnown('conflict', conflict_id, line, '/data/conflict_id')
  const kind = batch.contract.eventKinds[type]
  const data = withNulls(kind?.data, event.data)
  const summary = event.summary ?? kind?.description ?? type
  batch.emitFromGame({
    line,
    type,
    occurred_at,
    summary,
    nation_ids,
    alliance_ids,
    war_id,
    conflict_id,
    data,
  })
}

interface WarRow {
  id: string
  conflict_id: string | null
}

interface Surroundings {
  wars: Map<string, WarRow>
  /** By nation. */
  alliances: Map<string, string>
  /** By nation. */
  names: Map<string, string>
}

function emitWeaponEvent(batch: Batch, event: GameEvent, { wars, alliances, names }: Surroundings): void {
  const { line, type, occurred_at } = event
  const {
    weapon,
    attacker_nation_id,
    defender_nation_id,
    war_id = null,
    battle_id = null,
  } = event.data as unknown as WeaponData
  batch.requireKnown('nation', attacker_nation_id, line, '/data/data/attacker_nation_id')
  batch.requireKnown('nation', defender_nation_id, line, '/data/data/defender_nation_id')
  batch.requireKnown('war', war_id, line, '/data/data/war_id')
  const data = {
    weapon,
    attacker_nation_id,
    attacker_nation_name: names.get(attacker_nation_id) ?? attacker_nation_id,
    defender_nation_id,
    defender_nation_name: names.get(defender_nation_id) ?? defender_nation_id,
    war_id,
    battle_id,
  }
  const summary = batch.contract.eventKinds[type as EventType]?.summarize?.(data) ?? type
  batch.emitFromGame({
    line,
    type,
    occurred_at,
    summary,
    nation_ids: [...new Set([attacker_nation_id, defender_nation_id])],
    alliance_ids: [
      ...new Set([attacker_nation_id, defender_nation_id].flatMap(id => alliances.get(id) ?? [])),
    ],
    war_id,
    conflict_id: wars.get(war_id ?? '')?.conflict_id ?? null,
    data,
  })
}

async function alliancesOf({ db }: Batch, nationIds: string[]): Promise<Map<string, string>> {
  if (nationIds.length === 0) return new Map()
  const rows = await db.rows<{ nation_id: string; alliance_id: string }>(sql`
    select nation_id, alliance_id from chancery_world.alliance_member where nation_id = any(${nationIds})`)
  return new Map(rows.map(row => [row.nation_id, row.alliance_id]))
}

async function warsOf({ db }: Batch, events: GameEvent[]): Promise<Map<string, WarRow>> {
  const ids = events.map(({ data }) => data.war_id).filter(id => typeof id === 'string')
  if (ids.length === 0) return new Map()
  const rows = await db.rows<WarRow>(
    sql`select id, conflict_id from chancery_world.war where id = any(${ids})`,
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** Sets members that the game left out to null. */
function withNulls(schema: object | undefined, data: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, unknown> }
  return Object.fromEntries(Object.keys(properties).map(member => [member, data[member] ?? null]))
}
