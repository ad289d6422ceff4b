import { isDeepStrictEqual } from 'node:util'
import type { PublicOf, ResourceOf } from '@chancery/contract'
import { type Batch, type Change, type NationWarCounts, reject } from '../../ingest/batch.ts'
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
import { type Database, join, raw, sql } from '../../store/database.ts'
import { factColumns, memoizeByContract } from '../../store/fact-columns.ts'
import { leaderRanksOf, orderOfMembers } from '../alliances/store.ts'
import { snapshotCounters } from '../conflicts/counters.ts'
import { countWars } from './counters.ts'
import { sideMembers, sideObject, sides } from './store.ts'

type StoredWar = Omit<PublicOf<ResourceOf<'war'>>, 'battles_count' | 'losses' | 'url'>
type Side = StoredWar['attacker']
type Participant = StoredWar['participants'][number]

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
const removeParticipants = createRowRemover('chancery_world.war_participant', 'war_id')

const columnsOf = (name: (typeof sides)[number], side: Side) =>
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
        const given = (data[side] ?? {}) as Partial<Side>
        if (!isKnown) after[side] = { nation_id: after[side].nation_id, ...given } as Side
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

const hasOtherParticipants = (before: Participant[] | undefined, after: Participant[]) =>
  !isDeepStrictEqual(before ?? [], after)

/** The participants of wars, without names, in a table of their own: see migration 0041. */
async function writeParticipants(db: Database, wars: StoredWar[]): Promise<void> {
  if (wars.length === 0) return
  const ids = wars.map(({ id }) => id)
  await removeParticipants(db, ids)
  await db.rows(sql`
    insert into chancery_world.war_participant (war_id, number, side, nation_id, alliance_id, joined_at, left_at)
    select w.id, p.number, p.side, p.nation_id, p.alliance_id, p.joined_at, p.left_at
    from chancery_world.war w, rows from (jsonb_to_recordset(w.participants)
      as (side text, nation_id text, alliance_id text, joined_at timestamptz, left_at timestamptz))
      with ordinality as p (side, nation_id, alliance_id, joined_at, left_at, number)
    where w.id = any(${ids})`)
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
const nationsOf = ({ attacker, defender, participants = [] }: Change['data']): Partial<Side>[] =>
  [attacker, defender, ...(participants as object[])].filter(given => given !== undefined) as Partial<Side>[]

/** The store of one chunk of changes. A new war copies the current names of its nations and alliances, as a new participant does. */
async function createStoreWithNames(batch: Batch, changes: Change[]): Promise<EntityStore<StoredWar>> {
  const leaders = await leadersOf(batch, changes)
  const ids = new Set([
    ...leaders.values(),
    ...changes.flatMap(({ data }) => nationsOf(data).map(({ nation_id }) => nation_id)),
  ])
  const rows = await batch.db.rows<Side>(sql`
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
    const given = (data[side] ?? {}) as Partial<Side>
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
  const fill = (side: Partial<Side>): Side => {
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

type SuppliedParticipant = Pick<Participant, 'side' | 'nation_id'> & Partial<Participant>

/**
 * The known participant for each given one: of the same nation on the same side, with the same start, or else the next in order that had
 * not left before.
 */
function matchParticipants<T extends SuppliedParticipant>(
  known: Participant[],
  given: T[],
): Map<T, Participant> {
  const matches = new Map<T, Participant>()
  const keyOf = ({ side, nation_id }: SuppliedParticipant) => `${side} ${nation_id}`
  const left = Map.groupBy(known, keyOf)
  const take = (participant: T, isSame: (candidate: Participant) => boolean) => {
    const candidates = left.get(keyOf(participant)) ?? []
    const index = candidates.findIndex(isSame)
    const [found] = index < 0 ? [] : candidates.splice(index, 1)
    if (found) matches.set(participant, found)
  }
  for (const participant of given)
    take(participant, ({ joined_at }) => msOf(joined_at) === msOf(participant.joined_at))
  for (const participant of given) {
    if (matches.has(participant)) continue
    const start = msOf(participant.joined_at) ?? -Infinity
    take(participant, ({ left_at }) => (msOf(left_at) ?? Infinity) > start)
  }
  return matches
}

const msOf = (time: string | null | undefined) => (time ? Date.parse(time) : null)

/** A participant with what the fact left out: as it was known, else as it is in the world. */
function fillParticipant(
  given: SuppliedParticipant,
  known: Participant | undefined,
  fill: (side: Partial<Side>) => Side,
): Participant {
  const { side, joined_at = null, left_at = null, ...nation } = given
  const { nation_name, alliance_id, alliance_name } = known ?? {}
  const isInOther = nation.alliance_id !== undefined && nation.alliance_id !== alliance_id
  const knownMembers = known && { nation_name, alliance_id, ...(isInOther ? {} : { alliance_name }) }
  return { side, ...fill({ ...knownMembers, ...nation } as Partial<Side>), joined_at, left_at }
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

/** Whether a participant is the nation that leads the alliance on its side: a game that sends an alliance may not know which that is. */
const isLeader = (war: StoredWar, { side, nation_id }: Participant): boolean =>
  war[`${side}_type`] === 'alliance' && war[side].nation_id === nation_id

/** @throws {BatchRejectedError} where a nation would take part twice at one time. */
function checkParticipants(war: StoredWar, { line, data }: Change): void {
  if (!data.participants && !data.attacker && !data.defender) return
  const earlier = new Map<string, (readonly [number, number])[]>()
  for (const [index, participant] of war.participants.entries()) {
    const { nation_id } = participant
    const path = `/data/participants/${index}`
    const side = sides.find(name => war[name].nation_id === nation_id)
    if (side && !isLeader(war, participant)) {
      const isGiven = data.participants !== undefined
      const reason = `nation ${nation_id} must not be a side and a participant of the war`
      reject(line, isGiven ? `${path}/nation_id` : `/data/${side}/nation_id`, reason)
    }
    const span = spanOf(participant)
    const [start, end] = span
    if (end < start) reject(line, `${path}/left_at`, 'must not be before joined_at')
    const others = earlier.get(nation_id) ?? []
    earlier.set(nation_id, [...others, span])
    if (others.some(([otherStart, otherEnd]) => start < otherEnd && otherStart < end))
      reject(
        line,
        path,
        `nation ${nation_id} must not take part twice at the same time: give left_at and joined_at`,
      )
  }
}

const spanOf = ({ joined_at, left_at }: Pick<Participant, 'joined_at' | 'left_at'>) =>
  [msOf(joined_at) ?? -Infinity, msOf(left_at) ?? Infinity] as const

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

/** Adds a war to the counters of its nations, or subtracts it. A nation that fights itself is the attacker. */
function addWarOfNations(
  { pending }: Batch,
  { attacker, defender, status, outcome }: StoredWar,
  step: 1 | -1,
): void {
  const add = (id: string, key: keyof NationWarCounts) => {
    const counts = pending.nationWarDeltas.get(id) ?? { offensive: 0, defensive: 0, won: 0, lost: 0 }
    pending.nationWarDeltas.set(id, counts)
    counts[key] += step
  }
  const isAttackerVictory = outcome === 'attacker_victory'
  const isDecided = status === 'ended' && (isAttackerVictory || outcome === 'defender_victory')
  if (status === 'active') add(attacker.nation_id, 'offensive')
  if (isDecided) add(attacker.nation_id, isAttackerVictory ? 'won' : 'lost')
  if (defender.nation_id === attacker.nation_id) return
  if (status === 'active') add(defender.nation_id, 'defensive')
  if (isDecided) add(defender.nation_id, isAttackerVictory ? 'lost' : 'won')
}

/** The same for its alliances. A war inside one alliance counts once as active. */
function addWarOfAlliances(
  { pending }: Batch,
  { attacker, defender, status, outcome }: StoredWar,
  step: 1 | -1,
): void {
  for (const id of new Set([attacker.alliance_id, defender.alliance_id])) {
    if (id === null) continue
    const counts = pending.allianceWarDeltas.get(id) ?? { active: 0, won: 0, lost: 0 }
    pending.allianceWarDeltas.set(id, counts)
    if (status === 'active') counts.active += step
    if (status !== 'ended') continue
    const ended = (side: Side, victory: string) => side.alliance_id === id && outcome === victory
    if (ended(attacker, 'attacker_victory') || ended(defender, 'defender_victory')) counts.won += step
    if (ended(attacker, 'defender_victory') || ended(defender, 'attacker_victory')) counts.lost += step
  }
}

function emitEvents(batch: Batch, { line, before, after, at }: Transition<StoredWar>): void {
  if (!after) return
  const { id, type, reason, attacker, defender, outcome, game_outcome } = after
  const { attacker_type, defender_type, is_mutual } = after
  const war = { war_id: id, type, attacker_type, defender_type, is_mutual }
  const about = (others: Participant[]) => {
    const nations = [attacker, defender, ...others]
    return {
      line,
      nations: nations.map(({ nation_id }) => nation_id),
      alliances: nations.map(({ alliance_id }) => alliance_id),
      war: id,
      conflict: after.conflict_id,
    }
  }
  const { joined, left, present } = participationOf(before, after)
  if (!before) {
    const data = { war: { ...war, reason }, attacker, defender }
    batch.emit('war.declared', { ...about(present), at: after.declared_at }, data)
  }
  const emitParticipation = (
    kind: 'war.joined' | 'war.left',
    participant: Participant,
    time: string | null,
  ) => {
    const data = { war, participant, attacker, defender }
    batch.emit(kind, { ...about([participant]), at: time ?? at }, data)
  }
  for (const participant of joined) emitParticipation('war.joined', participant, participant.joined_at)
  for (const participant of left) emitParticipation('war.left', participant, participant.left_at)
  if (before?.status !== 'ended' && after.status === 'ended') {
    const data = { war, outcome, game_outcome, attacker, defender }
    const remaining = after.participants.filter(participant => !hasLeft(after, participant))
    batch.emit('war.ended', { ...about(remaining), at: after.ended_at ?? at }, data)
  }
}

/** Whether a participant left before the end of the war. */
const hasLeft = ({ ended_at }: StoredWar, { left_at }: Participant): boolean =>
  left_at !== null && (ended_at === null || Date.parse(left_at) < Date.parse(ended_at))

/**
 * The participants who joined or left by a change; in a war that had ended, a change is a correction. `present`: those of a new war
 * who were in it from its declaration.
 */
function participationOf(before: StoredWar | undefined, after: StoredWar) {
  if (before?.status === 'ended') return { joined: [], left: [], present: [] }
  const known = matchParticipants(before?.participants ?? [], after.participants)
  const remaining = new Set(known.values())
  const isFromStart = ({ joined_at }: Participant) =>
    before === undefined && (joined_at === null || Date.parse(joined_at) <= Date.parse(after.declared_at))
  const left = after.participants.filter(participant => {
    const previous = known.get(participant)
    return hasLeft(after, participant) && !(before && previous && hasLeft(before, previous))
  })
  const removed = (before?.participants ?? []).filter(
    participant => !remaining.has(participant) && participant.left_at === null,
  )
  return {
    joined: after.participants.filter(participant => !known.has(participant) && !isFromStart(participant)),
    left: [...left, ...removed],
    present: after.participants.filter(isFromStart),
  }
}
