import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { publicColumns, type ReadContext } from '../../store/fact-columns.ts'
import { type Page, readPage } from '../../store/paging.ts'

export type Member = PublicOf<ResourceOf<'alliance_member'>>

const columns = publicColumns('alliance_member', 'm')

/** The members of an alliance, highest rank first. */
export async function listMembers(
  context: ReadContext,
  { id, ...request }: ValuesFor<typeof operations.alliancesMembers>,
): Promise<Page<Member>> {
  const { ranks } = context.contract.profile
  const page = await readPage<Omit<Member, 'rank_title'>>(
    context.pools.public,
    request,
    {
      columns: sql`${columns(context)}, n.nation_name, n.leader_name, n.national_score, n.status`,
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
  const titles = new Map(ranks.map(({ key, label }) => [key, label]))
  return {
    ...page,
    items: page.items.map(member => ({ ...member, rank_title: titles.get(member.rank) ?? member.rank })),
  }
}
