import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase } from '../support/database.ts'

/** The tables or columns outside chancery_world that a role may read. */
const mayRead: Record<string, RegExp> = {
  chancery_public: /^never$/,
  chancery_owner:
    /^chancery_secret\.(nation_private\.(nation_id|military|economy|production|assignments|player|attributes)|alliance_private\.(alliance_id|treasury|attributes)|member_private\.(nation_id|can_view_treasury))$/,
  chancery_access:
    /^chancery_access\.|^chancery_secret\.nation_private\.(nation_id|player)$|^chancery_outbound\.endpoint\.player_id$/,
  // The attributes by which rounds rank are those of the profile.
  chancery_ingest: /^chancery_secret\.|^chancery_meta\.game_profile\.profile$/,
  chancery_outbound: /^chancery_outbound\.|^chancery_access\.suspension\./,
}
const mayWrite: Record<string, RegExp> = {
  chancery_public: /^never$/,
  chancery_owner: /^never$/,
  chancery_access: /^chancery_access\./,
  chancery_ingest: /^chancery_(secret|world)\./,
  chancery_outbound: /^chancery_outbound\./,
}

const database = await createTestDatabase()
const client = new pg.Client(database.target as pg.ClientConfig)
await client.connect()
after(async () => {
  await client.end()
  await database.drop()
})

interface Column {
  table: string
  column: string
  /** An identity or generated column. */
  is_generated: boolean
}

/** Every column of every table of ours, also of those that later migrations add. */
async function columns(): Promise<Column[]> {
  const { rows } = await client.query<Column>(`
    select c.oid::regclass::text as table, a.attname as column,
      a.attidentity <> '' or a.attgenerated <> '' as is_generated
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname like 'chancery\\_%' and c.relkind in ('r', 'p', 'v', 'm')`)
  assert.ok(rows.some(({ table }) => table === 'chancery_secret.nation_private'))
  return rows
}

/** Runs a statement as a role, and rolls it back. Returns whether it was permitted. */
async function isPermitted(role: string, statement: string): Promise<boolean> {
  await client.query(`begin; set local role ${role}`)
  try {
    await client.query(statement)
    return true
  } catch (error) {
    assert.equal((error as pg.DatabaseError).code, '42501', `${role}: ${statement}: ${error}`)
    return false
  } finally {
    await client.query('rollback')
  }
}

for (const [role, allowed] of Object.entries(mayRead)) {
  test(`${role} reads the secrets that its API needs, and no others`, async () => {
    for (const { table, column } of await columns()) {
      if (table.startsWith('chancery_world.')) continue
      const isRead = await isPermitted(role, `select ${column} from ${table}`)
      assert.equal(isRead, allowed.test(`${table}.${column}`), `${role} reads ${table}.${column}`)
    }
  })

  test(`${role} writes only its own tables`, async () => {
    const settable = (await columns()).filter(({ is_generated }) => !is_generated)
    for (const [table, column] of new Map(settable.map(each => [each.table, each.column]))) {
      if (mayWrite[role]?.test(`${table}.`)) continue
      for (const statement of [
        `update ${table} set ${column} = null`,
        `delete from ${table}`,
        `truncate ${table}`,
        `insert into ${table} default values`,
      ]) {
        assert.equal(await isPermitted(role, statement), false, `${role}: ${statement}`)
      }
    }
  })
}

test('the webhook role reads logged events of the world, and no state', async () => {
  const read = new Set<string>()
  for (const { table, column } of await columns()) {
    if (!table.startsWith('chancery_world.')) continue
    if (await isPermitted('chancery_outbound', `select ${column} from ${table}`)) read.add(table)
  }
  assert.deepEqual([...read].sort(), [
    'chancery_world.era_reset',
    'chancery_world.event',
    'chancery_world.event_log_span',
    'chancery_world.log_gap',
    'chancery_world.pulse',
  ])
})

test('only the operator API erases and exports players, and only by calling its function', async () => {
  const erasing =
    "select chancery_secret.erase_player('unknown', '{}'), chancery_secret.drop_responses('{}'), chancery_secret.export_player('unknown', 1)"
  for (const role of Object.keys(mayRead))
    assert.equal(await isPermitted(role, erasing), role === 'chancery_ingest', role)
  assert.equal(await isPermitted('chancery_ingest', erasing), true)
  const { rows } = await client.query<{ config: string[]; is_definer: boolean }>(`
    select proconfig as config, prosecdef as is_definer from pg_proc
    where pronamespace = 'chancery_secret'::regnamespace`)
  // The two, and the export of a player.
  assert.equal(rows.length, 3)
  for (const { config, is_definer } of rows)
    assert.deepEqual([config, is_definer], [['search_path=pg_catalog, pg_temp'], true])
})

test('the owner role cannot read notes of moderators', async () => {
  for (const table of ['nation_private', 'alliance_private']) {
    assert.equal(
      await isPermitted('chancery_owner', `select moderation_notes from chancery_secret.${table}`),
      false,
    )
  }
})

test('no role reads statistics of secrets that it may not read', async () => {
  await client.query(`
    insert into chancery_secret.nation_private (nation_id, player, moderation_notes)
    select 'n' || n, 'player' || n % 3, 'note' || n % 3 from generate_series(1, 1000) n`)
  await client.query('analyze chancery_secret.nation_private')
  for (const role of ['chancery_public', 'chancery_access', 'chancery_outbound']) {
    await client.query(`begin; set local role ${role}`)
    const { rows } = await client.query<{ attname: string }>(
      `select * from pg_stats where schemaname = 'chancery_secret'`,
    )
    await client.query('rollback')
    const seen = rows.filter(
      ({ attname }) => !mayRead[role]?.test(`chancery_secret.nation_private.${attname}`),
    )
    assert.deepEqual(seen, [], role)
  }
})
