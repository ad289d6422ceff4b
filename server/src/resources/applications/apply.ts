import type { Batch, Change } from '../../store/batch.ts'
import { settle } from '../../store/changes.ts'
import { refuseRetired } from '../../store/reused-ids.ts'
import { tableStore } from '../../store/table-store.ts'

interface Application {
  nation_id: string
  alliance_id: string
  applied_at: string | null
}

const store = tableStore<Application>('alliance_application', 'chancery_secret.alliance_application')

/** Applies facts about applications. Nobody is told of them: an application is not membership. */
export async function applyApplications(batch: Batch, changes: Change[]): Promise<void> {
  const puts = changes.filter(({ op }) => op === 'put')
  await refuseRetired(
    batch,
    'nation',
    puts.map(({ key, line }) => ({ id: key, line, path: '/data/nation_id' })),
  )
  await refuseRetired(
    batch,
    'alliance',
    puts.flatMap(({ data: { alliance_id }, line }) =>
      typeof alliance_id === 'string' ? [{ id: alliance_id, line, path: '/data/alliance_id' }] : [],
    ),
  )
  await settle({ ...batch, noteWorldChange: () => undefined }, store, changes)
}
