import type { Batch, Change } from '../../store/batch.ts'
import { settle, type ThingStore } from '../../store/changes.ts'
import { sql } from '../../store/database.ts'
import { rowRemover, rowWriter } from '../../store/rows.ts'

interface Application {
  nation_id: string
  alliance_id: string
  applied_at: string | null
}

const write = rowWriter('chancery_secret.alliance_application', 'nation_id', [
  'nation_id',
  'alliance_id',
  'applied_at',
])
const remove = rowRemover('chancery_secret.alliance_application', 'nation_id')

const store: ThingStore<Application> = {
  resource: 'alliance_application',
  async load({ db }, ids) {
    const rows = await db.rows<Application>(sql`
      select nation_id, alliance_id, applied_at from chancery_secret.alliance_application where nation_id = any(${ids})`)
    return new Map(rows.map(row => [row.nation_id, row]))
  },
  save: ({ db }, applications) => write(db, applications),
  remove: ({ db }, ids) => remove(db, ids),
}

/** Applies facts about applications. Nobody is told of them: an application is not membership. */
export async function applyApplications(batch: Batch, changes: Change[]): Promise<void> {
  await settle({ ...batch, noteWorldChange: () => undefined }, store, changes)
}
