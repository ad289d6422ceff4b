import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { readBackup } from '../../src/backup/read-backup.ts'
import { setSequences } from '../../src/backup/schema.ts'
import { openCopySession } from '../../src/store/copy.ts'
import { migrate, readMigrations } from '../../src/store/migrations.ts'
import { inChunks } from '../backup/backups.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'

/**
 * The earlier versions with a recorded database, by their last migration:
 *
 * 12: a simulated world (`simulate --nations 14 --days 12 --seed 7`), with a key and a webhook of the player who leads the first nation.
 * 32: a simulated world, with dead letters, an audit log, a limit request and a delivered webhook, as a backup.
 */
export type EarlierMigration = 12 | 32

/** What that version responded. */
export interface EarlierResponses {
  key: string
  /** By path below the base: to anonymous callers, and to the key. */
  public: Record<string, unknown>
  own: Record<string, unknown>
}

const fixture = (name: string) => readFile(new URL(`./fixtures/${name}.gz`, import.meta.url))
const unpacked = async (name: string) => gunzipSync(await fixture(name)).toString()

export const readEarlierResponses = async (number: EarlierMigration): Promise<EarlierResponses> =>
  JSON.parse(await unpacked(`responses-at-00${number}.json`))

export const readEarlierBackup = (): Promise<Buffer> => fixture('backup-at-0032')

/** A database as that version left it: its migrations and its rows, and nothing later. */
export async function createEarlierDatabase(number: EarlierMigration): Promise<TestDatabase> {
  const database = await createTestDatabase()
  await withConnection(database.url, async client => {
    const { rows } = await client.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'chancery\\_%'`,
    )
    for (const { name } of rows) await client.query(`drop schema ${name} cascade`)
  })
  const migrations = await readMigrations()
  await migrate(
    database.target,
    migrations.filter(migration => migration.number <= number),
  )
  await withConnection(database.url, async client => {
    // Migrations insert rows of their own.
    const { rows } = await client.query<{ name: string }>(`
      select string_agg(schemaname || '.' || tablename, ', ') as name from pg_tables
      where schemaname like 'chancery\\_%' and (schemaname, tablename) <> ('chancery_meta', 'migration')`)
    await client.query(`truncate ${rows[0]?.name} cascade`)
    if (number === 12) {
      // Rows are in the order of tables: they refer to later ones.
      await client.query('set session_replication_role = replica')
      await client.query(await unpacked('world-at-0012.sql'))
    }
  })
  if (number === 32) await loadBackup(database)
  // Otherwise the first round would begin a new day, before which all nations had a rank.
  await withConnection(database.url, client =>
    client.query('update chancery_world.ranking_round set day = current_date'),
  )
  return database
}

async function loadBackup({ target, url }: TestDatabase): Promise<void> {
  const session = await openCopySession(target)
  try {
    await readBackup(inChunks(await readEarlierBackup()), {
      header: async () => {},
      table: ({ table, columns }, text) => session.copyIn(table, columns, text),
    })
    await setSequences(session)
  } finally {
    await session.close()
  }
  await withConnection(url, client => client.query(beyondTheBackup))
}

/** What a database has that a backup does not: rankings with the indexes and statistics that a round makes, and the request log. */
const beyondTheBackup = `
  insert into chancery_world.nation_place
    (position, nation_id, rank, previous_rank, national_score, status, score_now, search_text, alliance_id)
  select row_number() over (order by national_score desc, n.id), n.id, rank() over (order by national_score desc), y.rank, national_score,
    status, national_score, search_text, coalesce(m.alliance_id, '')
  from chancery_world.nation n left join chancery_world.nation_yesterday y on y.nation_id = n.id
  left join chancery_world.alliance_member m on m.nation_id = n.id;
  insert into chancery_world.alliance_place (position, alliance_id, rank, previous_rank, total_score)
  select row_number() over (order by total_score desc, id), id, rank() over (order by total_score desc), y.rank, total_score
  from chancery_world.alliance left join chancery_world.alliance_yesterday y on y.alliance_id = id;
  alter index chancery_world.nation_place_pkey rename to nation_place_next_pkey1;
  alter index chancery_world.nation_place_alliance rename to nation_place_next_alliance_id_position_status_idx;
  create statistics chancery_world.nation_place_stripe on (position / 512) from chancery_world.nation_place;
  insert into chancery_access.key_call (request_id, at, key_id, operation, status, duration_us)
  select 'req_1', now(), id, 'nations.list', 200, 5 from chancery_access.api_key;
  insert into chancery_access.key_minute select id, now(), 3, 1 from chancery_access.api_key;
  insert into chancery_access.key_hour select id, now(), 'nations.list', 200, 3, 0 from chancery_access.api_key;
  insert into chancery_access.address_call (request_id, at, address, operation, status, duration_us)
  values ('req_2', now(), '192.0.2.1', 'nations.list', 401, 5);
  insert into chancery_access.address_hour values (now(), '192.0.2.1', 3, 0, 2);
  -- Otherwise they expire, however long ago the backup was taken.
  update chancery_secret.refused_batch set first_refused_at = now(), last_refused_at = now() + make_interval(secs => tries);
  update chancery_secret.refused_dropped set dropped_at = now();
  update chancery_outbound.delivery set created_at = now(), settled_at = now();
  update chancery_outbound.attempt set attempted_at = now();
  update chancery_access.operator_log set at = now()`
