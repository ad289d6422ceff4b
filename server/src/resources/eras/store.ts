import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { publicColumns } from '../../store/fact-columns.ts'
import { type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type Era = PublicOf<ResourceOf<'era'>>

const columns = publicColumns('era', 'e')
const order = sql`e.started_at desc nulls last, e.id`

export function listEras(
  context: ReadContext,
  request: ValuesFor<typeof operations.erasList>,
): Promise<Page<Era>> {
  return readPage<Era>(context.pools.public, request, {
    columns: columns(context),
    from: sql`chancery_world.era e`,
    order,
  })
}

/** The active era; of several the one that started last. */
export function findCurrentEra(context: ReadContext): Promise<Era | undefined> {
  return context.pools.public.first<Era>(
    sql`select ${columns(context)} from chancery_world.era e where e.status = 'active' order by ${order} limit 1`,
  )
}
