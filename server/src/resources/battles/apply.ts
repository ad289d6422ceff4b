import type { PublicOf, ResourceOf } from '@chancery/contract'
import { type Batch, type Change, reject } from '../../ingest/batch.ts'
import { type EntityStore, mergeChanges, type Transition } from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'
import { type HistoryOf, prepareReuseCheck } from '../../ingest/tombstones.ts'
import { sql } from '../../store/database.ts'
import { alliancesOfNations } from '../members/apply.ts'

type Battle = PublicOf<ResourceOf<'battle'>>

const sides = ['attacker', 'defender'] as const

const nationOf = (battle: Battle, side: (typeof sides)[number]) => battle[`${side}_nation_id`]
const helpersOf = (battle: Battle, side: (typeof sides)[number]) => battle[`${side}_helper_nation_ids`]

const table = createTableStore<Battle>('battle', 'chancery_world.battle')

/** The store of one chunk of changes. A new battle copies the alliances of its sides. */
async function createStore(batch: Batch, changes: Change[]): Promise<EntityStore<Battle>> {
  const sent = changes.map(({ data }) => data as Partial<Battle>)
  const wars = await warsOf(
    batch,
    sent.flatMap(({ war_id }) => war_id ?? []),
  )
  const alliances = await alliancesOfNations(
    batch,
    sent.flatMap(({ attacker_nation_id, defender_nation_id }) =>
      [attacker_nation_id, defender_nation_id].filter(id => id !== undefined),
    ),
  )
  return {
    ...table,

    async load(inBatch, keys) {
      const battles = await table.load(inBatch, keys)
      const others = [...battles.values()].flatMap(({ war_id }) =>
        war_id && !wars.has(war_id) ? war_id : [],
      )
      for (const [id, war] of await warsOf(inBatch, others)) wars.set(id, war)
      return battles
    },

    adjust(_batch, after, before, { data, line }) {
      for (const side of sides) {
        const id = nationOf(after, side)
        if (!(`${side}_alliance_id` in data) && id !== (before && nationOf(before, side)))
          after[`${side}_alliance_id`] = allianceIn(wars.get(after.war_id ?? ''), id, alliances)
      }
      requireDistinctHelpers(after, line, data)
      // A battle with a start lasts until it has an end.
      if ('status' in data || !('started_at' in data || 'ended_at' in data)) return
      after.status = after.started_at !== null && after.ended_at === null ? 'active' : 'ended'
    },
  }
}

function requireDistinctHelpers(battle: Battle, line: number, data: Record<string, unknown>): void {
  const found = new Set(sides.map(side => nationOf(battle, side)))
  for (const side of sides) {
    const field = `${side}_helper_nation_ids`
    for (const id of helpersOf(battle, side)) {
      if (found.has(id) && field in data)
        reject(
          line,
          `/data/${field}`,
          `must name nations that are not in this battle already, which ${id} is`,
        )
      found.add(id)
    }
  }
}

const history: HistoryOf<Battle> = {
  resource: 'battle',
  momentOf: battle => ({ time: battle.fought_at, nations: participantsOf(battle) }),
  paths: {
    time: '/data/fought_at',
    nation: number => (sides[number] === undefined ? '/data' : `/data/${sides[number]}_nation_id`),
  },
}

/** Applies facts about battles. */
export async function applyBattles(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) {
    const sent = data as Partial<Battle>
    batch.requireKnown('war', sent.war_id, line, '/data/war_id')
    for (const side of sides) {
      batch.requireKnown('nation', sent[`${side}_nation_id`], line, `/data/${side}_nation_id`)
      batch.requireKnown('alliance', sent[`${side}_alliance_id`], line, `/data/${side}_alliance_id`)
      for (const id of sent[`${side}_helper_nation_ids`] ?? [])
        batch.requireKnown('nation', id, line, `/data/${side}_helper_nation_ids`)
    }
  }
  const checkReuse = await prepareReuseCheck(batch, history, changes)
  const transitions = await mergeChanges(batch, await createStore(batch, changes), changes)
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
  participants: PublicOf<ResourceOf<'war'>>['participants']
}

/**
 * Names are those of the war for its sides and participants, else the current ones; alliances those of the war and of the participants
 * that fight, else the current ones.
 */
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
    participantsOf(battle).filter(id => nameIn(wars.get(battle.war_id ?? ''), id) === undefined),
  )
  const names = others.length > 0 ? await batch.nationNames(others) : new Map<string, string>()
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
      nations: participantsOf(battle),
      alliances: war
        ? [war.attacker_alliance_id, war.defender_alliance_id, ...alliancesOf(battle)]
        : alliancesOf(battle),
      war: war_id,
      conflict: war?.conflict_id ?? null,
    }
    const helpers = (side: (typeof sides)[number]) =>
      helpersOf(battle, side).length > 0 ? { [`${side}_helpers`]: helpersOf(battle, side).map(nation) } : {}
    const parties = {
      battle_id: id,
      kind,
      attacker: nation(battle.attacker_nation_id),
      defender: nation(battle.defender_nation_id),
      ...helpers('attacker'),
      ...helpers('defender'),
    }
    const result = { ...parties, victor, losses, infrastructure_destroyed }
    if (battle.status === 'active') batch.emit('battle.started', subjects, { ...parties, war_id })
    else if (war_id === null) batch.emit('battle.fought_outside_war', subjects, result)
    else batch.emit('battle.fought', subjects, { ...result, war_id })
  }
}

const nationsOf = (battle: Battle) => sides.map(side => nationOf(battle, side))
const alliancesOf = (battle: Battle) => sides.map(side => battle[`${side}_alliance_id`])
const participantsOf = (battle: Battle) => [
  ...nationsOf(battle),
  ...sides.flatMap(side => helpersOf(battle, side)),
]

async function warsOf({ db }: Batch, ids: string[]): Promise<Map<string, WarSides>> {
  const rows = await db.rows<WarSides>(sql`
    select id, conflict_id, attacker_nation_id, attacker_nation_name, attacker_alliance_id, defender_nation_id,
      defender_nation_name, defender_alliance_id, participants
    from chancery_world.war where id = any(${[...new Set(ids)]})`)
  return new Map(rows.map(row => [row.id, row]))
}

function nameIn(war: WarSides | undefined, nationId: string): string | undefined {
  if (war?.attacker_nation_id === nationId) return war.attacker_nation_name
  if (war?.defender_nation_id === nationId) return war.defender_nation_name
  return participantIn(war, nationId)?.nation_name
}

/** That of a side or a participant of the war, else the present one. */
function allianceIn(war: WarSides | undefined, nationId: string, present: Map<string, string>) {
  if (war?.attacker_nation_id === nationId) return war.attacker_alliance_id
  if (war?.defender_nation_id === nationId) return war.defender_alliance_id
  const participant = participantIn(war, nationId)
  return participant ? participant.alliance_id : (present.get(nationId) ?? null)
}

const participantIn = (war: WarSides | undefined, nationId: string) =>
  war?.participants.findLast(({ nation_id }) => nation_id === nationId)
