import { limits, type operatorOperations, type ResponseOf } from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'

type Player = ResponseOf<typeof operatorOperations.playersGet>

export interface PlayerFilter {
  is_suspended?: boolean | undefined
  after?: string | undefined
  limit: number
}

/** Players by id, who lead a nation, have a key, an endpoint or a session, or are suspended. */
export async function listPlayers(
  db: Database,
  { is_suspended, after = '', limit }: PlayerFilter,
): Promise<Player[]> {
  if (is_suspended === true)
    return readPlayers(
      db,
      sql`select player_id as id from chancery_access.suspension where player_id > ${after} order by player_id limit ${limit}`,
    )
  const wanted = (column: Sql) =>
    is_suspended === false
      ? sql`${column} > ${after} and ${column} not in (select s.player_id from chancery_access.suspension s)`
      : sql`${column} > ${after}`
  const players = sql`player_id`
  // The first of each table by its index.
  return readPlayers(
    db,
    sql`
      select id from (
        (select player as id from chancery_secret.nation_private where player is not null and ${wanted(sql`player`)} order by 1 limit ${limit})
        union (select distinct player_id from chancery_access.api_key where ${wanted(players)} order by 1 limit ${limit})
        union (select distinct player_id from chancery_outbound.endpoint where ${wanted(players)} order by 1 limit ${limit})
        union (select distinct player_id from chancery_access.session where ended_at is null and ${wanted(players)} order by 1 limit ${limit})
        union (select player_id from chancery_access.suspension where ${wanted(players)} order by 1 limit ${limit})
      ) known order by id limit ${limit}`,
  )
}

/** Undefined for an unknown player. */
export async function findPlayerById(db: Database, id: string): Promise<Player | undefined> {
  const [player] = await readPlayers(
    db,
    sql`
      select ${id}::text collate "C" as id where exists (select from chancery_secret.nation_private where player = ${id})
        or exists (select from chancery_access.api_key where player_id = ${id})
        or exists (select from chancery_outbound.endpoint where player_id = ${id})
        or exists (select from chancery_access.session where player_id = ${id} and ended_at is null)
        or exists (select from chancery_access.suspension where player_id = ${id})`,
  )
  return player
}

const readPlayers = (db: Database, ids: Sql): Promise<Player[]> =>
  db.rows<Player>(sql`
    select p.id as player_id, n.nation_id, n.nation_name, s.suspended_at, s.note,
      coalesce(k.keys, 0) as keys, e.webhooks, k.last_used_at
    from (${ids}) p
    left join lateral (
      select o.nation_id, w.nation_name from chancery_secret.nation_private o join chancery_world.nation w on w.id = o.nation_id
      where o.player = p.id order by o.nation_id limit 1
    ) n on true
    left join chancery_access.suspension s on s.player_id = p.id
    left join lateral (
      select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > clock_timestamp())) as keys,
        max(last_used_at) as last_used_at
      from chancery_access.api_key where player_id = p.id
    ) k on true
    left join lateral (select count(*) as webhooks from chancery_outbound.endpoint where player_id = p.id) e on true
    order by p.id`)

type PlayerExport = Omit<ResponseOf<typeof operatorOperations.playersExport>, 'player_id'>

/** Everything that is stored about a player, by table. Reads as the ingest role, which may erase it too. */
export async function exportPlayer(db: Database, id: string): Promise<PlayerExport> {
  const max = limits.exportRowsPerTable
  const row = await db.first<{ tables: Record<string, unknown[]>; exported_at: string }>(sql`
    select chancery_secret.export_player(${id}, ${max + 1}) as tables,
      date_trunc('milliseconds', clock_timestamp()) as exported_at`)
  if (!row) throw new Error('an export was not returned')
  const tables = Object.entries(row.tables)
  return {
    exported_at: row.exported_at,
    tables: Object.fromEntries(tables.map(([name, rows]) => [name, rows.slice(0, max)])),
    truncated: tables.flatMap(([name, rows]) => (rows.length > max ? [name] : [])),
  }
}
