import type { DemoPlayer } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import { containing } from '../store/search-text.ts'
import {
  type NationSummaryRow,
  nationSummaryColumns,
  nationSummaryJoins,
  nationSummaryOf,
} from './nation-summary.ts'

const playersShown = 50

/** Players of the demo whose nation or name contains a text, the highest score first. */
export async function listDemoPlayers(db: Database, search: string): Promise<DemoPlayer[]> {
  const rows = await db.rows<NationSummaryRow & { player_id: string }>(sql`
    select p.player as player_id, ${nationSummaryColumns}
    from chancery_secret.nation_private p join chancery_world.nation n on n.id = p.nation_id ${nationSummaryJoins}
    where p.player is not null and n.search_text like ${containing(search)}
    order by n.national_score desc, n.id limit ${playersShown}`)
  return rows.flatMap(row => {
    const nation = nationSummaryOf(row)
    return nation ? [{ player_id: row.player_id, nation }] : []
  })
}

/** Whether the player leads a nation of the demo. */
export async function isDemoPlayer(db: Database, playerId: string): Promise<boolean> {
  const row = await db.first(sql`
    select p.nation_id from chancery_secret.nation_private p join chancery_world.nation n on n.id = p.nation_id
    where p.player = ${playerId} limit 1`)
  return row !== undefined
}
