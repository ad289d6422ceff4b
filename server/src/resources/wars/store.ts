import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { pageUrl } from '../../store/page-url.ts'
import { allOf, type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type War = PublicOf<ResourceOf<'war'>>

type Side = 'attacker' | 'defender'
type SideColumns<S extends Side> = {
  [K in keyof War[S] & string as `${S}_${K}`]: War[S][K]
}
interface WarRow
  extends Omit<War, 'attacker' | 'defender' | 'losses' | 'url'>,
    SideColumns<'attacker'>,
    SideColumns<'defender'> {
  attacker_losses: Record<string, number>
  defender_losses: Record<string, number>
}

const columns = sql`
  w.id, w.type, w.status, w.reason, w.attacker_nation_id, w.attacker_nation_name, w.attacker_alliance_id,
  w.attacker_alliance_name, w.defender_nation_id, w.defender_nation_name, w.defender_alliance_id, w.defender_alliance_name,
  w.declared_at, w.ended_at, w.outcome, w.battles_count, w.attacker_losses, w.defender_losses, w.conflict_id, w.era_id,
  w.updated_at`

function warOf({ contract }: ReadContext, row: WarRow): War {
  return {
    ...row,
    attacker: {
      nation_id: row.attacker_nation_id,
      nation_name: row.attacker_nation_name,
      alliance_id: row.attacker_alliance_id,
      alliance_name: row.attacker_alliance_name,
    },
    defender: {
      nation_id: row.defender_nation_id,
      nation_name: row.defender_nation_name,
      alliance_id: row.defender_alliance_id,
      alliance_name: row.defender_alliance_name,
    },
    losses: { attacker: row.attacker_losses, defender: row.defender_losses },
    url: pageUrl(contract.profile.pages.war, row.id),
  }
}

export async function findWar(context: ReadContext, id: string): Promise<War | undefined> {
  const row = await context.pools.public.first<WarRow>(
    sql`select ${columns} from chancery_world.war w where w.id = ${id}`,
  )
  return row && warOf(context, row)
}

export async function warExists({ pools }: ReadContext, id: string): Promise<boolean> {
  return (await pools.public.first(sql`select from chancery_world.war where id = ${id}`)) !== undefined
}

export async function listWars(
  context: ReadContext,
  filter: ValuesFor<typeof operations.warsList>,
): Promise<Page<War>> {
  const { status, nation_id, alliance_id, conflict_id, ids } = filter
  const where = allOf([
    status && sql`w.status = ${status}`,
    nation_id && sql`(w.attacker_nation_id = any(${nation_id}) or w.defender_nation_id = any(${nation_id}))`,
    alliance_id &&
      sql`(w.attacker_alliance_id = any(${alliance_id}) or w.defender_alliance_id = any(${alliance_id}))`,
    conflict_id === undefined ? undefined : sql`w.conflict_id = ${conflict_id}`,
    ids && sql`w.id = any(${ids})`,
  ])
  const page = await readPage<WarRow>(context.pools.public, filter, {
    columns,
    from: sql`chancery_world.war w where ${where}`,
    order: sql`w.declared_at desc, w.id`,
    reversed: sql`w.declared_at, w.id desc`,
    chosen: {
      alias: sql`w`,
      columns: sql`w.declared_at, w.id`,
      joins: sql`join chancery_world.war w on w.id = chosen.id`,
    },
  })
  return { ...page, items: page.items.map(row => warOf(context, row)) }
}
