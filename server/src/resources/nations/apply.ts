import type { PublicOf, ReadableOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../ingest/batch.ts'
import {
  deletionsOf,
  type EntityStore,
  followGameTerm,
  mergeChanges,
  recreatedOf,
  type SplitAttributes,
  type Transition,
} from '../../ingest/changes.ts'
import {
  createChangedRowWriter,
  createPublicAndPrivateTables,
  createRowRemover,
  secretRow,
} from '../../ingest/entity-store.ts'
import { rejectReusedIds, removeTombstones, writeTombstones } from '../../ingest/tombstones.ts'
import { sql } from '../../store/database.ts'
import { searchText } from '../../store/search-text.ts'
import { addScoreChanges } from '../alliances/apply.ts'
import { closeHistory } from '../history/numbers.ts'
import { logChangedNations, removeIndexedNations, updateIndexedNations } from './ranking-index.ts'

type StoredNation = Omit<PublicOf<ResourceOf<'nation'>>, 'rank' | 'alliance' | 'wars' | 'url'> &
  Required<Pick<ReadableOf<ResourceOf<'nation'>>, 'military' | 'economy' | 'production' | 'assignments'>> & {
    player: string | null
    moderation_notes: string | null
  } & Omit<SplitAttributes, 'attributes'>

const tables = createPublicAndPrivateTables(
  'nation',
  'chancery_world.nation',
  { table: 'chancery_secret.nation_private', key: 'nation_id', isNested: true },
  createChangedRowWriter,
  ['search_text'],
)
const removeNations = createRowRemover('chancery_world.nation', 'id')
const removeSecrets = createRowRemover('chancery_secret.nation_private', 'nation_id')
const removePreviousDayRanks = createRowRemover('chancery_world.nation_rank_previous_day', 'nation_id')
const removeApplications = createRowRemover('chancery_secret.alliance_application', 'nation_id')

const secretsOf = (nation: StoredNation) => secretRow('nation_id', nation.id, nation)

const withSearchText = (nation: StoredNation) => ({
  ...nation,
  search_text: searchText(nation.nation_name, nation.leader_name),
})

/** A store for one chunk of changes: the loaded rows show which columns have to be written. */
function createStore(): EntityStore<StoredNation> {
  const known = new Map<string, StoredNation>()
  return {
    resource: 'nation',

    async load(batch, ids) {
      const rows = await batch.db.rows<StoredNation>(sql`${tables(batch).select}${ids})`)
      for (const row of rows) known.set(row.id, row)
      return known
    },

    adjust({ contract }, after, _before, change) {
      followGameTerm(contract.profile.nation_statuses, after, change, ['game_status', 'status'])
    },

    async save(batch, nations) {
      const { db, pending } = batch
      const { write, writeSecrets } = tables(batch)
      const rows = nations.map(nation => {
        const before = known.get(nation.id)
        return { after: withSearchText(nation), before: before && withSearchText(before) }
      })
      await write(db, rows)
      await writeSecrets(
        db,
        rows.map(({ after, before }) => ({ after: secretsOf(after), before: before && secretsOf(before) })),
      )
      const added = nations.flatMap(({ id }) => (known.has(id) ? [] : [id]))
      for (const id of await removeTombstones(db, 'nation', added)) pending.recreatedNations.add(id)
      if (added.length > 0) pending.hasUnindexedNations = true
      await updateIndexedNations(batch, rows)
      await logChangedNations(
        db,
        nations.map(({ id }) => id),
      )
    },

    async remove({ db }, ids) {
      await removeNations(db, ids)
      await removeSecrets(db, ids)
      await removePreviousDayRanks(db, ids)
      await removeIndexedNations(db, ids)
      await closeHistory(db, 'nation', ids)
      await logChangedNations(db, ids)
      for (const id of ids) known.delete(id)
    },
  }
}

/** Applies facts about nations. */
export async function applyNations(batch: Batch, changes: Change[]): Promise<void> {
  await rejectReusedIds(batch.db, 'nation', changes)
  const transitions = await mergeChanges(batch, createStore(), await releasePlayers(batch, changes))
  await addScoreChanges(batch, transitions)
  for (const id of recreatedOf(transitions)) batch.pending.recreatedNations.add(id)
  await removeApplications(
    batch.db,
    transitions.filter(({ after }) => after === undefined).map(({ key }) => key),
  )
  await writeTombstones(
    batch.db,
    'nation',
    deletionsOf(transitions).map(({ key, before }) => ({ id: key, name: before?.nation_name ?? null })),
    batch.loggedAt,
  )
  for (const transition of transitions) emitEvents(batch, transition)
}

function emitEvents(batch: Batch, { line, before, after, at }: Transition<StoredNation>): void {
  if (after && !before) {
    const nation = { nation_id: after.id, nation_name: after.nation_name }
    batch.emit('nation.founded', { line, at: after.founded_at ?? at, nations: [after.id] }, { nation })
  } else if (before && !after) {
    const nation = { nation_id: before.id, nation_name: before.nation_name }
    batch.emit('nation.deleted', { line, at, nations: [before.id] }, { nation })
  } else if (before && after) {
    if (before.nation_name !== after.nation_name) {
      const nation = { nation_id: after.id, nation_name: after.nation_name }
      batch.emit(
        'nation.renamed',
        { line, at, nations: [after.id] },
        { nation, old_name: before.nation_name },
      )
    }
  }
}

/** A player leads one nation, the last one that the game sent: other nations lose the player. */
async function releasePlayers({ db }: Batch, changes: Change[]): Promise<Change[]> {
  const nationOf = new Map<string, string>()
  for (const { key, data } of changes) if (typeof data.player === 'string') nationOf.set(data.player, key)
  if (nationOf.size === 0) return changes
  const leading = await db.rows<{ player: string; nation_id: string }>(sql`
    select player, nation_id from chancery_secret.nation_private where player = any(${[...nationOf.keys()]})`)
  const lost = leading.filter(({ player, nation_id }) => nationOf.get(player) !== nation_id)
  if (lost.length > 0) {
    await db.rows(sql`
      update chancery_secret.nation_private set player = null where nation_id = any(${lost.map(row => row.nation_id)})`)
  }
  return changes.map(change => {
    const { player } = change.data
    const hasLost = typeof player === 'string' && nationOf.get(player) !== change.key
    return hasLost ? { ...change, data: { ...change.data, player: null } } : change
  })
}
