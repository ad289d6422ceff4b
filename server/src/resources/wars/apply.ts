import { type Batch, type Change, reject } from '../../ingest/batch.ts'
import {
  deletionsOf,
  type EntityStore,
  followGameTerm,
  mergeChanges,
  type Transition,
} from '../../ingest/changes.ts'
import { createChangedRowWriter, createRowRemover } from '../../ingest/entity-store.ts'
import {
  type HistoryOf,
  lastReset,
  prepareReuseCheck,
  removeTombstones,
  retiringEras,
  writeTombstones,
} from '../../ingest/tombstones.ts'
import { join, raw, sql } from '../../store/database.ts'
import { factColumns, memoizeByContract } from '../../store/fact-columns.ts'
import { leaderRanksOf, orderOfMembers } from '../alliances/store.ts'
import { snapshotCounters } from '../conflicts/counters.ts'
import { addWarOfAlliances, addWarOfNations, countWars } from './counters.ts'
import { emitEvents } from './events.ts'
import {
  checkParticipants,
  fillParticipant,
  hasOtherParticipants,
  isLeader,
  matchParticipants,
  removeParticipants,
  writeParticipants,
} from './participants.ts'
import { type StoredSide, type StoredWar, sideMembers, sideObject, sides } from './store.ts'

/** A side has a column for each of its members. */
const tables = memoizeByContract(contract => {
  const { world } = factColumns(contract, 'war')
  const own = world.filter(name => sides.every(side => side !== name))
  const columnsOfSides = sides.flatMap(side => sideMembers(contract, side).map(member => `${side}_${member}`))
  const selected = join([raw(own.join(', ')), ...sides.map(side => sideObject(contract, side))])
  return {
    select: sql`select ${selected} from chancery_world.war w where id = any(`,
    write: createChangedRowWriter('chancery_world.war', 'id', [...own, ...columnsOfSides]),
  }
})
const removeWars = createRowRemover('chancery_world.war', 'id')
const removeBattles = createRowRemover('chancery_world.battle', 'war_id')

const columnsOf = (name: (typeof sides)[number], side: StoredSide) =>
  Object.fromEntries(Object.entries(side).map(([member, value]) => [`${name}_${member}`, value]))

const rowOf = ({ attacker, defender, ...war }: StoredWar) => ({
  ...war,
  ...columnsOf('attacker', attacker),
  ...columnsOf('defender', defender),
})

/** A store for one chunk of changes: the loaded rows show which columns have to be written. */
function createStore(): EntityStore<StoredWar> {
  const known = new Map<string, StoredWar>()
  return {
    resource: 'war',

    async load(batch, ids) {
      const rows = await batch.db.rows<StoredWar>(sql`${tables(batch).select}${ids})`)
      const ofConflicts = rows.filter(({ conflict_id }) => conflict_id !== null)
      await snapshotCounters(
        batch,
        ofConflicts.map(({ id }) => id),
      )
      for (const row of rows) known.set(row.id, row)
      return known
    },

    /** A war with an end time has ended; an outcome of the game's own has its fixed outcome. */
    adjust({ contract }, after, before, { data, line }) {
      const isOfOthers =
        before?.attacker.nation_id !== after.attacker.nation_id ||
        before?.defender.nation_id !== after.defender.nation_id
      if (isOfOthers && after.attacker.nation_id === after.defender.nation_id)
        reject(line, '/data/defender/nation_id', "must differ from the attacker's nation")
      if (after.follows_war_id === after.id) reject(line, '/data/follows_war_id', 'must be another war')
      if (!('status' in data) && typeof data.ended_at === 'string') after.status = 'ended'
      followGameTerm(contract.profile.war_outcomes, after, { data, line }, ['game_outcome', 'outcome'])
      for (const side of sides) {
        // Names and alliance are those of the declaration: they are looked up again only for another nation.
        const isKnown = before?.[side].nation_id === after[side].nation_id
        const given = (data[side] ?? {}) as Partial<StoredSide>
        if (!isKnown) after[side] = { nation_id: after[side].nation_id, ...given } as StoredSide
        else if (before?.[side].alliance_id !== after[side].alliance_id && given.alliance_name === undefined)
          after[side] = { ...after[side], alliance_name: null }
      }
    },

    async save(batch, wars) {
      const { db, pending } = batch
      await tables(batch).write(
        db,
        wars.map(war => {
          const before = known.get(war.id)
          return { after: rowOf(war), before: before && rowOf(before) }
        }),
      )
      await writeParticipants(
        db,
        wars.filter(({ id, participants }) =>
          hasOtherParticipants(known.get(id)?.participants, participants),
        ),
      )
      const added = wars.flatMap(({ id }) => (known.has(id) ? [] : [id]))
      const recreated = await removeTombstones(db, 'war', added)
      for (const id of recreated) pending.warsWithChangedBattles.add(id)
      for (const { id, conflict_id } of wars) if (conflict_id !== null) pending.conflictWars.add(id)
    },

    async remove({ db }, ids) {
      await removeWars(db, ids)
      await removeParticipants(db, ids)
      for (const id of ids) known.delete(id)
    },
  }
}

const history: HistoryOf<StoredWar> = {
  resource: 'war',
  momentOf: ({ declared_at, attacker, defender, participants }) => ({
    time: declared_at,
    nations: [attacker, defender, ...participants].map(({ nation_id }) => nation_id),
  }),
  paths: {
    time: '/data/declared_at',
    nation: number =>
      number < sides.length
        ? `/data/${sides[number]}/nation_id`
        : `/data/participants/${number - sides.length}/nation_id`,
  },
}

/** Applies facts about wars. */
export async function applyWars(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) requireReferences(batch, line, data)
  const checkReuse = await prepareReuseCheck(batch, history, changes)
  const transitions = await mergeChanges(batch, await createStoreWithNames(batch, changes), changes)
  await checkReuse(transitions)
  const deleted = transitions.filter(({ after }) => after === undefined).map(({ key }) => key)
  await removeBattles(batch.db, deleted)
  for (const id of deleted) batch.pending.warsWithChangedBattles.add(id)
  await writeTombstones(
    batch.db,
    'war',
    deletionsOf(transitions).map(({ key }) => ({ id: key, name: null })),
    batch.loggedAt,
  )
  await countWars(batch.db, transitions)
  for (const transition of transitions) {
    for (const [war, step] of [
      [transition.before, -1],
      [transition.after, 1],
    ] as const) {
      if (!war) continue
      addWarOfNations(batch, war, step)
      addWarOfAlliances(batch, war, step)
    }
    if (hasOtherNations(transition)) batch.pending.warsWithChangedBattles.add(transition.key)
    emitEvents(batch, transition)
  }
}

function requireReferences(batch: Batch, line: number, data: Record<string, unknown>): void {
  const {
    attacker,
    defender,
    participants = [],
    follows_war_id,
    conflict_id,
    era_id,
  } = data as Partial<StoredWar>
  for (const [side, given] of Object.entries({ attacker, defender })) {
    batch.requireKnown('nation', given?.nation_id, line, `/data/${side}/nation_id`)
    batch.requireKnown('alliance', given?.alliance_id, line, `/data/${side}/alliance_id`)
  }
  for (const { nation_id, alliance_id } of participants) {
    batch.requireKnown('nation', nation_id, line, '/data/participants')
    batch.requireKnown('alliance', alliance_id, line, '/data/participants')
  }
  batch.requireKnown('war', follows_war_id, line, '/data/follows_war_id')
  batch.requireKnown('conflict', conflict_id, line, '/data/conflict_id')
  batch.requireKnown('era', era_id, line, '/data/era_id')
}

/** The nations of a fact as it gives them: its sides and its participants. */
const nationsOf = ({ attacker, defender, participants = [] }: Change['data']): Partial<StoredSide>[] =>
  [attacker, defender, ...(participants as object[])].filter(
    given => given !== undefined,
  ) as Partial<StoredSide>[]

/** The store of one chunk of changes. A new war copies the current names of its nations and alliances, as a new participant does. */
async function createStoreWithNames(batch: Batch, changes: Change[]): Promise<EntityStore<StoredWar>> {
  const leaders = await leadersOf(batch, changes)
  const ids = new Set([
    ...leaders.values(),
    ...changes.flatMap(({ data }) => nationsOf(data).map(({ nation_id }) => nation_id)),
  ])
  const rows = await batch.db.rows<StoredSide>(sql`
    select n.id as nation_id, n.nation_name, m.alliance_id, a.name as alliance_name
    from (select id, nation_name from chancery_world.nation
      union all select id, name from chancery_world.tombstone where resource = 'nation') n
    left join chancery_world.alliance_member m on m.nation_id = n.id
    left join chancery_world.alliance a on a.id = m.alliance_id
    where n.id = any(${[...ids].filter(id => id !== undefined)})`)
  const currentSides = new Map(rows.map(row => [row.nation_id, row]))
  const allianceNames = await namesOfAlliances(batch, changes)
  const endWithEra = await createEraEnder(batch)
  /** A side that is given as an alliance alone is that alliance, if the war is new or was of another alliance. */
  const setLeader = (
    after: StoredWar,
    before: StoredWar | undefined,
    { line, data }: Change,
    side: (typeof sides)[number],
  ) => {
    const type = `${side}_type` as const
    const given = (data[side] ?? {}) as Partial<StoredSide>
    const { nation_id, alliance_id } = given
    const isOther = !before || (before[type] === 'alliance' && before[side].alliance_id !== alliance_id)
    if (alliance_id && nation_id === undefined && isOther && data[type] !== 'nation') {
      const leader = leaders.get(alliance_id)
      if (leader === undefined)
        reject(
          line,
          `/data/${side}/alliance_id`,
          allianceNames.has(alliance_id)
            ? `alliance ${alliance_id} has no members: send also nation_id, the nation that leads it`
            : `there is no alliance ${alliance_id}`,
        )
      after[type] = 'alliance'
      after[side] = { ...after[side], nation_id: leader }
    }
  }
  const fill = (side: Partial<StoredSide>): StoredSide => {
    const nation_id = side.nation_id ?? ''
    const current = currentSides.get(nation_id)
    const alliance_id = side.alliance_id === undefined ? (current?.alliance_id ?? null) : side.alliance_id
    const knownName =
      alliance_id === current?.alliance_id ? current?.alliance_name : allianceNames.get(alliance_id ?? '')
    return {
      nation_id,
      nation_name: side.nation_name ?? current?.nation_name ?? nation_id,
      alliance_id,
      alliance_name: alliance_id === null ? null : (side.alliance_name ?? knownName ?? alliance_id),
    }
  }
  const store = createStore()
  return {
    ...store,
    derive(after, before, change) {
      for (const side of sides) setLeader(after, before, change, side)
    },
    async adjust(inBatch, after, before, change) {
      await store.adjust?.(inBatch, after, before, change)
      after.attacker = fill(after.attacker)
      after.defender = fill(after.defender)
      if (change.data.participants) {
        const given = after.participants
        const known = matchParticipants(before?.participants ?? [], given)
        after.participants = given.map(participant =>
          fillParticipant(participant, known.get(participant), fill),
        )
      }
      for (const side of sides) checkParty(after, change, side)
      checkParticipants(after, change)
      after.participants = after.participants.filter(participant => !isLeader(after, participant))
      await endWithEra(after)
    },
  }
}

/** The nation that leads each alliance which is given as a side without a nation: its leader, else its first member. */
async function leadersOf(batch: Batch, changes: Change[]): Promise<Map<string, string>> {
  const ids = changes.flatMap(({ data }) =>
    nationsOf({ ...data, participants: [] }).flatMap(({ nation_id, alliance_id }) =>
      nation_id === undefined ? (alliance_id ?? []) : [],
    ),
  )
  if (ids.length === 0) return new Map()
  const rows = await batch.db.rows<{ alliance_id: string; nation_id: string }>(sql`
    select distinct on (m.alliance_id) m.alliance_id, m.nation_id from chancery_world.alliance_member m
    where m.alliance_id = any(${ids}) order by m.alliance_id, ${orderOfMembers(leaderRanksOf(batch))}`)
  return new Map(rows.map(({ alliance_id, nation_id }) => [alliance_id, nation_id]))
}

/** A war of nations that a reset retired has ended, whatever its fact says. */
async function createEraEnder(batch: Batch): Promise<(war: StoredWar) => Promise<void>> {
  const reset = await lastReset(batch)
  return async war => {
    if (!reset || war.status === 'ended' || Date.parse(war.declared_at) > reset.atMs) return
    const sides = [war.attacker.nation_id, war.defender.nation_id]
    if ((await retiringEras(batch.db, 'nation', sides)).size === 0) return
    war.status = 'ended'
    war.ended_at ??= reset.at
  }
}

/** @throws {BatchRejectedError} where a side is an alliance but has none. */
function checkParty(war: StoredWar, { line, data }: Change, side: (typeof sides)[number]): void {
  const type = `${side}_type` as const
  const { nation_id, alliance_id } = war[side]
  if (war[type] === 'nation' || alliance_id !== null) return
  reject(
    line,
    type in data ? `/data/${type}` : `/data/${side}`,
    `nation ${nation_id} had no alliance at the declaration: send alliance_id, or ${type} nation`,
  )
}

async function namesOfAlliances({ db }: Batch, changes: Change[]): Promise<Map<string, string>> {
  const ids = changes.flatMap(({ data }) => nationsOf(data).flatMap(({ alliance_id }) => alliance_id ?? []))
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; name: string }>(sql`
    select id, name from chancery_world.alliance where id = any(${ids})
    union all select id, name from chancery_world.tombstone where resource = 'alliance' and id = any(${ids})`)
  return new Map(rows.map(row => [row.id, row.name]))
}

/** The losses and victories of a battle count for the sides of its nations in the war. */
const hasOtherNations = ({ before, after }: Transition<StoredWar>) =>
  before !== undefined &&
  after !== undefined &&
  (before.attacker.nation_id !== after.attacker.nation_id ||
    before.defender.nation_id !== after.defender.nation_id ||
    hasOtherParticipants(before.participants, after.participants))
