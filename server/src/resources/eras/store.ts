import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type Era = PublicOf<ResourceOf<'era'>>

const columns = sql`id, number, name, status, started_at, ended_at, summary, champion`
const order = sql`started_at desc nulls last, id`

export function listEras(
  { pools }: ReadContext,
  request: ValuesFor<typeof operations.erasList>,
): Promise<Page<Era>> {
  return readPage<Era>(pools.public, request, { columns, from: sql`chancery_world.era`, order })
}

/** The era that goes on; of several the one that started last. */
export function findCurrentEra({ pools }: ReadContext): Promise<Era | undefined> {
  return pools.public.first<Era>(
    sql`select ${columns} from chancery_world.era where status = 'active' order by ${order} limit 1`,
  )
}
