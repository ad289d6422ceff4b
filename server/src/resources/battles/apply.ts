import type { PublicOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../ingest/batch.ts'
import { type EntityStore, mergeChanges, type Transition } from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'
import { type HistoryOf, prepareReuseCheck } from '../../ingest/tombstones.ts'
import { sql } from '../../store/database.ts'

type Battle = PublicOf<ResourceOf<'battle'>>

const store: EntityStore<Battle> = {
  ...createTableStore<Battle>('battle', 'chancery_world.battle'),

  /** A battle with a start lasts until it has an end. */
  adjust(_batch, after, _before, { data }) {
    if ('status' in data || !('started_at' in data || 'ended_at' in data)) return
    after.status = after.started_at !== null && after.ended_at === null ? 'active' : 'ended'
  },
}

const history: HistoryOf<Battle> = {
  resource: 'battle',
  momentOf: battle => ({ time: battle.fought_at, nations: nationsOf(battle) }),
  paths: { time: '/data/fought_at', nation: '/data/attacker_nation_id' },
}

/** Applies facts about battles. */
export async function applyBattles(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) {
    const { war_id, attacker_nation_id, defender_nation_id } = data as Partial<Battle>
    batch.requireKnown('war', war_id, line, '/data/war_id')
    batch.requireKnown('nation', attacker_nation_id, line, '/data/attacker_nation_id')
    batch.requireKnown('nation', defender_nation_id, line, '/data/defender_nation_id')
  }
  const checkReuse = await prepareReuseCheck(batch, history, changes)
  const transitions = await mergeChanges(batch, store, changes)
  await checkReuse(transitions)
  for (const { before, after } of transitions) {
    for (const id of [before?.war_id, after?.war_id]) if (id) batch.pending.warsWithChangedBattles.add(id)
  }
  await emitEvents(batch, transitions)
}

interface WarSides {
  id: string
  conflict_id: string | null
  attacker_nation_id: string
  attacker_nation_name: string
  attacker_alliance_id: string | null
  defender_nation_id: string
  defender_nation_name: string
  defender_alliance_id: string | null
}

/** Names are those of the war for its own nations, else the current ones; alliances those of the war, else the current ones. */
async function emitEvents(batch: Batch, transitions: Transition<Battle>[]): Promise<void> {
  const shown = transitions.flatMap(({ line, before, after }) =>
    after && before?.status !== 'ended' && before?.status !== after.status ? [{ line, battle: after }] : [],
  )
  if (shown.length === 0) return
  const wars = await warsOf(
    batch,
    shown.flatMap(({ battle }) => battle.war_id ?? []),
  )
  const others = shown.flatMap(({ battle }) =>
    nationsOf(battle).filter(id => nameIn(wars.get(battle.war_id ?? ''), id) === undefined),
  )
  const names = others.length > 0 ? await batch.nationNames(others) : new Map<string, string>()
  const alliances = await alliancesOf(
    batch,
    shown.flatMap(({ battle }) => (battle.war_id === null ? nationsOf(battle) : [])),
  )
  for (const { line, battle } of shown) {
    const { id, war_id, kind, victor, losses, infrastructure_destroyed } = battle
    const war = wars.get(war_id ?? '')
    const nation = (nationId: string) => ({
      nation_id: nationId,
      nation_name: nameIn(war, nationId) ?? names.get(nationId) ?? nationId,
    })
    const subjects = {
      line,
      at: battle.ended_at ?? battle.fought_at,
      nations: nationsOf(battle),
      alliances: war
        ? [war.attacker_alliance_id, war.defender_alliance_id]
        : nationsOf(battle).map(nationId => alliances.get(nationId) ?? null),
      war: war_id,
      conflict: war?.conflict_id ?? null,
    }
    const sides = {
      battle_id: id,
      kind,
      attacker: nation(battle.attacker_nation_id),
      defender: nation(battle.defender_nation_id),
    }
    const result = { ...sides, victor, losses, infrastructure_destroyed }
    if (battle.status === 'active') batch.emit('battle.started', subjects, { ...sides, war_id })
    else if (war_id === null) batch.emit('battle.fought_outside_war', subjects, result)
    else batch.emit('battle.fought', subjects, { ...result, war_id })
  }
}

const nationsOf = ({ attacker_nation_id, defender_nation_id }: Battle) => [
  attacker_nation_id,
  defender_nation_id,
]

async function alliancesOf({ db }: Batch, nationIds: string[]): Promise<Map<string, string>> {
  if (nationIds.length === 0) return new Map()
  const rows = await db.rows<{ nation_id: string; alliance_id: string }>(sql`
    select nation_id, alliance_id from chancery_world.alliance_member where nation_id = any(${[...new Set(nationIds)]})`)
  return new Map(rows.map(({ nation_id, alliance_id }) => [nation_id, alliance_id]))
}

async function warsOf({ db }: Batch, ids: string[]): Promise<Map<string, WarSides>> {
  const rows = await db.rows<WarSides>(sql`
    select id, conflict_id, attacker_nation_id, attacker_nation_name, attacker_alliance_id, defender_nation_id,
      defender_nation_name, defender_alliance_id
    from chancery_world.war where id = any(${[...new Set(ids)]})`)
  return new Map(rows.map(row => [row.id, row]))
}

function nameIn(war: WarSides | undefined, nationId: string): string | undefined {
  if (war?.attacker_nation_id === nationId) return war.attacker_nation_name
  if (war?.defender_nation_id === nationId) return war.defender_nation_name
  return undefined
}
