import type { Batch, Change } from '../../ingest/batch.ts'
import { mergeChanges } from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'
import { rejectRetired } from '../../ingest/tombstones.ts'

interface Application {
  nation_id: string
  alliance_id: string
  applied_at: string | null
}

const store = createTableStore<Application>('alliance_application', 'chancery_secret.alliance_application')

/** Applies facts about applications. They are private: no event, and no new world version. */
export async function applyApplications(batch: Batch, changes: Change[]): Promise<void> {
  const puts = changes.filter(({ op }) => op === 'put')
  await rejectRetired(
    batch.db,
    'nation',
    puts.map(({ key, line }) => ({ id: key, line, path: '/data/nation_id' })),
  )
  await rejectRetired(
    batch.db,
    'alliance',
    puts.flatMap(({ data: { alliance_id }, line }) =>
      typeof alliance_id === 'string' ? [{ id: alliance_id, line, path: '/data/alliance_id' }] : [],
    ),
  )
  await mergeChanges({ ...batch, markWorldChanged: () => undefined }, store, changes)
}
