import { operations, type PublicOf, type ResourceOf, type ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { comparisons } from '../../store/derived-lists.ts'
import { publicColumns, type ReadContext } from '../../store/fact-columns.ts'
import { allOf, type Page, readPage } from '../../store/paging.ts'

export type Conflict = PublicOf<ResourceOf<'conflict'>>

interface ConflictRow extends Omit<Conflict, 'sides' | 'wars'> {
  sides: {
    name: string
    alliances: { alliance_id: string; joined_at?: string | null; left_at?: string | null }[]
  }[]
  side_totals: Pick<Conflict['sides'][number], 'nation_count' | 'battles_won' | 'losses'>[]
  wars_active: number
  wars_total: number
}

const columns = publicColumns('conflict', 'c')

export async function listConflicts(
  context: ReadContext,
  request: ValuesFor<typeof operations.conflictsList>,
): Promise<Page<Conflict>> {
  const where = allOf(comparisons(operations.conflictsList, request, field => `c.${field}`))
  const page = await readPage<ConflictRow>(context.pools.public, request, {
    columns: sql`${columns(context)}, c.side_totals, c.wars_active, c.wars_total, c.battles_count`,
    from: sql`chancery_world.conflict c where ${where}`,
    order: sql`c.started_at desc, c.id`,
  })
  const names = await allianceNames(context, page.items)
  return { ...page, items: page.items.map(row => conflictOf(row, names)) }
}

function conflictOf(
  { wars_active, wars_total, side_totals, ...row }: ConflictRow,
  names: Map<string, string>,
): Conflict {
  return {
    ...row,
    sides: row.sides.map(({ name, alliances }, index) => ({
      name,
      alliances: alliances.map(({ alliance_id, joined_at = null, left_at = null }) => ({
        alliance_id,
        name: names.get(alliance_id) ?? alliance_id,
        joined_at,
        left_at,
      })),
      nation_count: side_totals[index]?.nation_count ?? 0,
      battles_won: side_totals[index]?.battles_won ?? 0,
      losses: side_totals[index]?.losses ?? {},
    })),
    wars: { active: wars_active, total: wars_total },
  }
}

/** Names of the alliances on any side, including disbanded ones. */
async function allianceNames({ pools }: ReadContext, rows: ConflictRow[]): Promise<Map<string, string>> {
  const ids = new Set(
    rows.flatMap(row => row.sides.flatMap(side => side.alliances.map(alliance => alliance.alliance_id))),
  )
  if (ids.size === 0) return new Map()
  const found = await pools.public.rows<{ id: string; name: string }>(sql`
    select id, name from chancery_world.alliance where id = any(${[...ids]})
    union all
    select id, name from chancery_world.tombstone where resource = 'alliance' and id = any(${[...ids]})`)
  return new Map(found.map(({ id, name }) => [id, name]))
}
