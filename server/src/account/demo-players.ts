import { type DemoPlayer, demoKeyPrefix } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import { containing } from '../store/search-text.ts'
import {
  joinNationOf,
  type NationSummaryRow,
  nationSummaryColumns,
  nationSummaryJoins,
  nationSummaryOf,
} from './nation-summary.ts'

interface PlayerRow extends NationSummaryRow {
  player_id: string
  kind: string | null
}

const playersShown = 50
/** Players of the demo may create keys of such names too. */
const printedPlayersMax = 10

/** The players with the keys that the demo prints, in the order in which it created them. */
const printedPlayers = sql`
  select player_id, substr(min(name), ${demoKeyPrefix.length + 1}) as kind, min(created_at) as created_at
  from chancery_access.api_key where starts_with(name, ${demoKeyPrefix}) and revoked_at is null
  group by player_id order by min(created_at), player_id limit ${printedPlayersMax}`

const demoPlayerOf = (row: PlayerRow): DemoPlayer => ({
  player_id: row.player_id,
  nation: nationSummaryOf(row),
  kind: row.kind,
})

/** Demo players whose nation or leader contains a text: those with printed keys first, the others by score. */
export async function listDemoPlayers(db: Database, search: string): Promise<DemoPlayer[]> {
  const printed = await db.rows<PlayerRow>(sql`
    select k.player_id, k.kind, ${nationSummaryColumns}
    from (${printedPlayers}) k ${joinNationOf(sql`k.player_id`)}
    where ${search} = '' or n.search_text like ${containing(search)} order by k.created_at, k.player_id`)
  const others = await db.rows<PlayerRow>(sql`
    select p.player as player_id, null as kind, ${nationSummaryColumns}
    from chancery_secret.nation_private p join chancery_world.nation n on n.id = p.nation_id ${nationSummaryJoins}
    where p.player is not null and n.search_text like ${containing(search)}
      and p.player <> all(${printed.map(({ player_id }) => player_id)}::text[])
    order by n.national_score desc, n.id limit ${playersShown - printed.length}`)
  return [...printed, ...others].map(demoPlayerOf)
}

/** Whether the demo lists the player: they lead a nation, or have a printed key. */
export async function isDemoPlayer(db: Database, playerId: string): Promise<boolean> {
  const row = await db.first(sql`
    select p.player from chancery_secret.nation_private p join chancery_world.nation n on n.id = p.nation_id
    where p.player = ${playerId}
    union all select k.player_id from (${printedPlayers}) k where k.player_id = ${playerId} limit 1`)
  return row !== undefined
}
