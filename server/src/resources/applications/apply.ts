import type { Batch, Change } from '../../store/batch.ts'
import { settle } from '../../store/changes.ts'
import { tableStore } from '../../store/table-store.ts'

interface Application {
  nation_id: string
  alliance_id: string
  applied_at: string | null
}

const store = tableStore<Application>('alliance_application', 'chancery_secret.alliance_application', [
  'nation_id',
  'alliance_id',
  'applied_at',
])

/** Applies facts about applications. Nobody is told of them: an application is not membership. */
export async function applyApplications(batch: Batch, changes: Change[]): Promise<void> {
  await settle({ ...batch, noteWorldChange: () => undefined }, store, changes)
}
