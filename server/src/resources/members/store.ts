import { operations, type PublicOf, type ResourceOf, type ValuesFor } from '@chancery/contract'
import { type Sql, sql } from '../../store/database.ts'
import { comparisons } from '../../store/derived-lists.ts'
import { publicColumns, type ReadContext } from '../../store/fact-columns.ts'
import { allOf, offsetOf, type Page, readPage } from '../../store/paging.ts'

export type Member = PublicOf<ResourceOf<'alliance_member'>>
type MemberRow = Omit<Member, 'rank_title'>

const stored = publicColumns('alliance_member', 'm')
const columnsOf = (context: ReadContext): Sql =>
  sql`${stored(context)}, n.nation_name, n.leader_name, n.national_score, n.status`

/** The members of an alliance, highest rank first. */
export async function listMembers(
  context: ReadContext,
  { id, ...request }: ValuesFor<typeof operations.alliancesMembers>,
): Promise<Page<Member>> {
  const { ranks } = context.contract.profile
  const page = await readPage<MemberRow>(
    context.pools.public,
    request,
    {
      columns: columnsOf(context),
      // Scores are read from the ranking index, whose rows are narrow and indexed by alliance.
      from: sql`
        chancery_world.alliance_member m join chancery_world.nation_ranking p on p.nation_id = m.nation_id and p.alliance_id = ${id}
        where m.alliance_id = ${id}`,
      order: sql`array_position(${ranks.map(rank => rank.key)}, m.rank) nulls last, p.current_score desc, m.nation_id`,
      deferredJoin: {
        columns: sql`m.nation_id`,
        joins: sql`
          join chancery_world.alliance_member m on m.nation_id = chosen.nation_id
          join chancery_world.nation_ranking p on p.nation_id = m.nation_id
          join chancery_world.nation n on n.id = m.nation_id`,
      },
    },
    sql`chancery_world.alliance_member m where m.alliance_id = ${id}`,
  )
  return withTitles(context, page)
}

type Filter = ValuesFor<typeof operations.membersList>

/** The members of all alliances, or of some, by alliance and nation. */
export async function listAllMembers(context: ReadContext, filter: Filter): Promise<Page<Member>> {
  const where = allOf(comparisons(operations.membersList, filter, field => `m.${field}`))
  const page = filter.ids
    ? await readPage<MemberRow>(context.pools.public, filter, {
        columns: columnsOf(context),
        from: sql`chancery_world.alliance_member m join chancery_world.nation n on n.id = m.nation_id where ${where}`,
        order,
      })
    : await readByAlliance(context, filter)
  return withTitles(context, page)
}

const order = sql`m.alliance_id, m.nation_id`

/** Finds the alliances of the page by their member counts: every page takes about the same time. */
async function readByAlliance(context: ReadContext, filter: Filter): Promise<Page<MemberRow>> {
  const offset = offsetOf(filter)
  const where = filter.alliance_id ? sql`id = any(${filter.alliance_id})` : sql`true`
  const rows = await context.pools.public.rows<{ total: number } & (MemberRow | { nation_id: null })>(sql`
    with part as materialized (
      select id, member_count, sum(member_count) over (order by id) - member_count as before
      from chancery_world.alliance where ${where} and member_count > 0
    ), taken as materialized (
      select id, before from part where before < ${offset + filter.limit} and before + member_count > ${offset}
    ), item as materialized (
      select found.* from (select * from taken order by id offset 0) t, lateral (
        select m.alliance_id, m.nation_id from chancery_world.alliance_member m
        where m.alliance_id = t.id order by m.nation_id limit ${offset + filter.limit}::bigint - t.before
      ) found
      order by alliance_id, nation_id limit ${filter.limit} offset ${offset} - (select min(before) from taken)
    )
    select counted.total, ${columnsOf(context)}
    from (select coalesce(sum(member_count), 0) as total from part) counted left join (
      item join chancery_world.alliance_member m using (nation_id) join chancery_world.nation n on n.id = m.nation_id
    ) on true
    order by ${order}`)
  const items = rows.flatMap(({ total: _total, ...row }) => (row.nation_id === null ? [] : [row]))
  return { items, total: rows[0]?.total ?? 0 }
}

function withTitles({ contract }: ReadContext, page: Page<MemberRow>): Page<Member> {
  const titles = new Map(contract.profile.ranks.map(({ key, label }) => [key, label]))
  return {
    ...page,
    items: page.items.map(member => ({ ...member, rank_title: titles.get(member.rank) ?? member.rank })),
  }
}
