import type { PublicOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../ingest/batch.ts'
import { deletionsOf, mergeChanges } from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'
import { writeTombstones } from '../../ingest/tombstones.ts'

type Era = PublicOf<ResourceOf<'era'>>

const store = createTableStore<Era>('era', 'chancery_world.era', { leavesTombstone: true })

/** The numbers of entities that a reset retired. */
export interface ResetCounts {
  nations: number
  alliances: number
}

/** Applies facts about eras. `resets`: by era, the counts of the reset that ends it. */
export async function applyEras(
  batch: Batch,
  changes: Change[],
  resets: Record<string, ResetCounts> = {},
): Promise<void> {
  for (const { line, data } of changes) {
    const champion = data.champion as Era['champion'] | undefined
    batch.requireKnown('alliance', champion?.alliance_id, line, '/data/champion/alliance_id')
  }
  const transitions = await mergeChanges(batch, store, changes)
  await writeTombstones(
    batch.db,
    'era',
    deletionsOf(transitions).map(({ key, before }) => ({ id: key, name: before?.name ?? null })),
    batch.loggedAt,
  )
  for (const { line, before, after, at } of transitions) {
    if (!after) continue
    const era = { era_id: after.id, name: after.name }
    const wasBegun = before !== undefined && before.status !== 'upcoming'
    if (!wasBegun && after.status !== 'upcoming') {
      batch.emit('era.started', { line, at: after.started_at ?? at }, { era })
    }
    if (before?.status !== 'ended' && after.status === 'ended') {
      const metadata = { line, at: after.ended_at ?? at, alliances: [after.champion?.alliance_id ?? null] }
      batch.emit('era.ended', metadata, { era, champion: after.champion, reset: resets[after.id] ?? null })
    }
  }
}
