import type { PublicOf, ResourceOf } from '@chancery/contract'
import { type Batch, type Change, type NationWarCounts, reject } from '../../ingest/batch.ts'
import { deletionsOf, type EntityStore, mergeChanges, type Transition } from '../../ingest/changes.ts'
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
import { snapshotCounters } from '../conflicts/counters.ts'
import { countWars } from './counters.ts'
import { sideMembers, sideObject, sides } from './store.ts'

type StoredWar = Omit<PublicOf<ResourceOf<'war'>>, 'battles_count' | 'losses' | 'url'>
type Side = StoredWar['attacker']

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

    /** A war with an end time has ended. */
    adjust(_batch, after, before, { data, line }) {
      const isOfOthers =
        before?.attacker.nation_id !== after.attacker.nation_id ||
        before?.defender.nation_id !== after.defender.nation_id
      if (isOfOthers && after.attacker.nation_id === after.defender.nation_id)
        reject(line, '/data/defender/nation_id', "must differ from the attacker's nation")
      if (!('status' in data) && typeof data.ended_at === 'string') after.status = 'ended'
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
      const added = wars.flatMap(({ id }) => (known.has(id) ? [] : [id]))
      const recreated = await removeTombstones(db, 'war', added)
      for (const id of recreated) pending.warsWithChangedBattles.add(id)
      for (const { id, conflict_id } of wars) if (conflict_id !== null) pending.conflictWars.add(id)
    },

    async remove({ db }, ids) {
      await removeWars(db, ids)
      for (const id of ids) known.delete(id)
    },
  }
}

const history: HistoryOf<StoredWar> = {
  resource: 'war',
  momentOf: ({ declared_at, attacker, defender }) => ({
    time: declared_at,
    nations: [attacker.nation_id, defender.nation_id],
  }),
  paths: { time: '/data/declared_at', nation: '/data/attacker/nation_id' },
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
    if (hasOtherSides(transition)) batch.pending.warsWithChangedBattles.add(transition.key)
    emitEvents(batch, transition)
  }
}

function requireReferences(batch: Batch, line: number, data: Record<string, unknown>): void {
  const { attacker, defender, conflict_id, era_id } = data as Partial<StoredWar>
  for (const [side, given] of Object.entries({ attacker, defender })) {
    batch.requireKnown('nation', given?.nation_id, line, `/data/${side}/nation_id`)
    batch.requireKnown('alliance', given?.alliance_id, line, `/data/${side}/alliance_id`)
  }
  batch.requireKnown('conflict', conflict_id, line, '/data/conflict_id')
  batch.requireKnown('era', era_id, line, '/data/era_id')
}

/** The store of one chunk of changes. A new war copies the current names of its nations and alliances. */
async function createStoreWithNames(batch: Batch, changes: Change[]): Promise<EntityStore<StoredWar>> {
  const ids = new Set(
    changes.flatMap(({ data }) => [
      (data.attacker as Side | undefined)?.nation_id,
      (data.defender as Side | undefined)?.nation_id,
    ]),
  )
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
    async adjust(inBatch, after, before, change) {
      await store.adjust?.(inBatch, after, before, change)
      after.attacker = fill(after.attacker)
      after.defender = fill(after.defender)
      await endWithEra(after)
    },
  }
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

async function namesOfAlliances({ db }: Batch, changes: Change[]): Promise<Map<string, string>> {
  const ids = changes.flatMap(({ data }) =>
    [data.attacker, data.defender]
      .map(side => (side as Partial<Side> | undefined)?.alliance_id)
      .filter(id => typeof id === 'string'),
  )
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; name: string }>(sql`
    select id, name from chancery_world.alliance where id = any(${ids})
    union all select id, name from chancery_world.tombstone where resource = 'alliance' and id = any(${ids})`)
  return new Map(rows.map(row => [row.id, row.name]))
}

/** The losses and victories of a battle count for the two nations of its war. */
const hasOtherSides = ({ before, after }: Transition<StoredWar>) =>
  before !== undefined &&
  after !== undefined &&
  (before.attacker.nation_id !== after.attacker.nation_id ||
    before.defender.nation_id !== after.defender.nation_id)

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
  const { id, type, reason, attacker, defender, outcome } = after
  const subjects = {
    line,
    nations: [attacker.nation_id, defender.nation_id],
    alliances: [attacker.alliance_id, defender.alliance_id],
    war: id,
    conflict: after.conflict_id,
  }
  if (!before) {
    const data = { war: { war_id: id, type, reason }, attacker, defender }
    batch.emit('war.declared', { ...subjects, at: after.declared_at }, data)
  }
  if (before?.status !== 'ended' && after.status === 'ended') {
    const data = { war: { war_id: id, type }, outcome, attacker, defender }
    batch.emit('war.ended', { ...subjects, at: after.ended_at ?? at }, data)
  }
}
