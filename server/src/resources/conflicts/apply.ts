import { isDeepStrictEqual } from 'node:util'
import type { PublicOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../ingest/batch.ts'
import { deletionsOf, type EntityStore, mergeChanges, type Transition } from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'
import { writeTombstones } from '../../ingest/tombstones.ts'
import { sql } from '../../store/database.ts'

interface Side {
  name: string
  alliances: { alliance_id: string; joined_at?: string | null; left_at?: string | null }[]
}
type Conflict = Pick<
  PublicOf<ResourceOf<'conflict'>>,
  'id' | 'name' | 'status' | 'cause' | 'started_at' | 'ended_at' | 'era_id'
> & { sides: Side[] }

const store: EntityStore<Conflict> = {
  ...createTableStore<Conflict>('conflict', 'chancery_world.conflict', { leavesTombstone: true }),
  adjust(_batch, after, _before, { data }) {
    if (!('status' in data) && typeof data.ended_at === 'string') after.status = 'ended'
  },
}

/** Applies facts about global conflicts. */
export async function applyConflicts(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) {
    const { sides, era_id } = data as Partial<Conflict>
    for (const { alliances } of sides ?? []) {
      for (const { alliance_id } of alliances)
        batch.requireKnown('alliance', alliance_id, line, '/data/sides')
    }
    batch.requireKnown('era', era_id, line, '/data/era_id')
  }
  const transitions = await mergeChanges(batch, store, changes)
  const names = await allianceNames(batch, transitions)
  for (const transition of transitions) {
    markSides(batch, transition)
    emitEvents(batch, transition, names)
  }
  await writeTombstones(
    batch.db,
    'conflict',
    deletionsOf(transitions).map(({ key, before }) => ({ id: key, name: before?.name ?? null })),
    batch.loggedAt,
  )
}

/** Marks conflicts whose sides changed: their numbers are summed again. */
function markSides({ pending }: Batch, { key, before, after }: Transition<Conflict>): void {
  if (!before) pending.newConflicts.add(key)
  if (!isDeepStrictEqual(before?.sides, after?.sides)) pending.conflictSides.add(key)
}

type AllianceNames = Map<string, { alliance_id: string; name: string; tag: string }>

async function allianceNames({ db }: Batch, transitions: Transition<Conflict>[]): Promise<AllianceNames> {
  const ids = transitions.flatMap(({ after }) => [...fighting(after).keys()])
  const rows = await db.rows<{ alliance_id: string; name: string; tag: string }>(sql`
    select id as alliance_id, name, tag from chancery_world.alliance where id = any(${[...new Set(ids)]})
    union all
    select id, name, '' from chancery_world.tombstone where resource = 'alliance' and id = any(${[...new Set(ids)]})`)
  return new Map(rows.map(row => [row.alliance_id, row]))
}

/** The alliances that fight now, with side and date. */
function fighting(conflict: Conflict | undefined): Map<string, { side: string; joinedAt: string | null }> {
  return new Map(
    (conflict?.sides ?? []).flatMap(({ name, alliances }) =>
      alliances
        .filter(({ left_at }) => !left_at)
        .map(
          ({ alliance_id, joined_at }) => [alliance_id, { side: name, joinedAt: joined_at ?? null }] as const,
        ),
    ),
  )
}

function emitEvents(
  batch: Batch,
  { line, before, after, at }: Transition<Conflict>,
  names: AllianceNames,
): void {
  if (!after) return
  const conflict = { conflict_id: after.id, name: after.name }
  if (!before) {
    const alliances = [...fighting(after).keys()]
    batch.emit(
      'conflict.started',
      { line, at: after.started_at, alliances, conflict: after.id },
      { conflict, cause: after.cause },
    )
  }
  const known = fighting(before)
  for (const [id, { side, joinedAt }] of fighting(after)) {
    if (known.get(id)?.side === side) continue
    const alliance = names.get(id) ?? { alliance_id: id, name: id, tag: '' }
    const metadata = { line, at: joinedAt ?? at, alliances: [id], conflict: after.id }
    batch.emit('conflict.joined', metadata, { conflict, alliance, side })
  }
  if (before?.status !== 'ended' && after.status === 'ended') {
    batch.emit('conflict.ended', { line, at: after.ended_at ?? at, conflict: after.id }, { conflict })
  }
}
