import type { NationSummary } from '@chancery/contract'
import { type Sql, sql } from '../store/database.ts'

/** The columns of a nation `n` with its alliance; all null without a nation. */
export interface NationSummaryRow {
  nation_id: string | null
  nation_name: string
  leader_name: string
  flag_url: string | null
  alliance_id: string | null
  alliance_name: string
  alliance_tag: string
}

export const nationSummaryColumns = sql`
  n.id as nation_id, n.nation_name, n.leader_name, n.flag_url,
  a.id as alliance_id, a.name as alliance_name, a.tag as alliance_tag`

export const nationSummaryJoins = sql`
  left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`

/** Joins the nation that a player leads now, if any. */
export const joinNationOf = (playerId: Sql) => sql`
  left join lateral (
    select p.nation_id from chancery_secret.nation_private p
    where p.player = ${playerId} order by p.nation_id limit 1
  ) own on true
  left join chancery_world.nation n on n.id = own.nation_id ${nationSummaryJoins}`

export function nationSummaryOf(row: NationSummaryRow): NationSummary | null {
  const { nation_id, nation_name, leader_name, flag_url, alliance_id, alliance_name, alliance_tag } = row
  if (nation_id === null) return null
  const alliance = alliance_id === null ? null : { alliance_id, name: alliance_name, tag: alliance_tag }
  return { nation_id, nation_name, leader_name, flag_url, alliance }
}
