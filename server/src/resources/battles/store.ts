import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type Battle = PublicOf<ResourceOf<'battle'>>

/** The battles of a war, oldest first. */
export function listBattles(
  { pools }: ReadContext,
  { id, ...request }: ValuesFor<typeof operations.warsBattles>,
): Promise<Page<Battle>> {
  return readPage<Battle>(pools.public, request, {
    columns: sql`b.id, b.war_id, b.kind, b.fought_at, b.attacker_nation_id, b.defender_nation_id, b.victor, b.losses,
      b.infrastructure_destroyed`,
    from: sql`chancery_world.battle b where b.war_id = ${id}`,
    order: sql`b.fought_at, b.id`,
  })
}
