import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { publicColumns } from '../../store/fact-columns.ts'
import { type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type Battle = PublicOf<ResourceOf<'battle'>>

const columns = publicColumns('battle', 'b')

/** The battles of a war, oldest first. */
export function listBattles(
  context: ReadContext,
  { id, ...request }: ValuesFor<typeof operations.warsBattles>,
): Promise<Page<Battle>> {
  return readPage<Battle>(context.pools.public, request, {
    columns: columns(context),
    from: sql`chancery_world.battle b where b.war_id = ${id}`,
    order: sql`b.fought_at, b.id`,
  })
}
