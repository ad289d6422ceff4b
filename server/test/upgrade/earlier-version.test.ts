import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { demoProfile, rankedAttributes } from '@chancery/contract'
import { indexedColumnsOf } from '../../src/resources/nations/store.ts'
import { migrate, pendingMigrations, readMigrations } from '../../src/store/migrations.ts'
import { readTables, restoreTo } from '../backup/backups.ts'
import { assertConflictsAddUp } from '../ingest/conflict-numbers.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import {
  createEarlierDatabase,
  type EarlierResponses,
  readEarlierBackup,
  readEarlierResponses,
} from './earlier-database.ts'

/** Every member that was there and is not, or is another. Members that were added are no change. */
function changes(was: unknown, is: unknown, path = ''): string[] {
  if (typeof was !== 'object' || was === null || typeof is !== 'object' || is === null)
    return Object.is(was, is) ? [] : [`${path}: ${JSON.stringify(was)} is now ${JSON.stringify(is)}`]
  const length =
    Array.isArray(was) && Array.isArray(is) && was.length !== is.length
      ? [`${path}: ${was.length} are now ${is.length}`]
      : []
  return [
    ...length,
    ...Object.entries(was).flatMap(([name, value]) =>
      changes(value, (is as Record<string, unknown>)[name], `${path}/${name}`),
    ),
  ]
}

interface Lists {
  event_kinds?: { type: string }[]
  attributes?: { nation: { key: string }[] }
}

/** Kinds of events and attributes may be added anywhere in their lists: they are compared by type and by key. */
function withListsByKey(response: unknown): unknown {
  const { data } = response as { data: Lists }
  if (!data.event_kinds || !data.attributes) return response
  const { event_kinds, attributes } = data
  return {
    data: {
      ...data,
      event_kinds: Object.fromEntries(event_kinds.map(kind => [kind.type, kind])),
      attributes: { ...attributes, nation: Object.fromEntries(attributes.nation.map(one => [one.key, one])) },
    },
  }
}

/** The description of an event kind may be worded in another way. */
const isWording = (change: string) => /^\/data\/event_kinds\/[^/]+\/description: /.test(change)

const indexed = indexedColumnsOf(rankedAttributes(demoProfile.attributes.nation))

/** The nations whose row of the ranking index is not as a ranking round would write it. */
const wronglyIndexed = ({ query }: TestDatabase) =>
  query(`
    select p.nation_id from chancery_world.nation_ranking p join chancery_world.nation n on n.id = p.nation_id
    left join chancery_world.alliance_member m on m.nation_id = n.id
    where (${Object.keys(indexed)
      .map(name => `p.${name}`)
      .join(', ')}) is distinct from (${Object.values(indexed).join(', ')})`)

/** The file and the rows of each table, and the file of each index, by identity rather than by name. */
const readStorage = (url: string) =>
  withConnection(url, async client => {
    const { rows } = await client.query<{ oid: string; file: string; is_table: boolean; name: string }>(`
      select c.oid::text, pg_relation_filenode(c.oid)::text as file, relkind = 'r' as is_table, c.oid::regclass::text as name
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname like 'chancery\\_%' and relkind in ('r', 'i', 'S') and c.oid::regclass::text not like 'chancery_meta.migration%'`)
    const storage = new Map<string, unknown>()
    for (const { oid, file, is_table, name } of rows) {
      const lines = is_table
        ? (await client.query(`select t::text as line from ${name} t order by 1`)).rows
        : []
      storage.set(oid, { file, rows: lines })
    }
    return storage
  })

for (const number of [12, 32] as const) {
  suite(`a database of migration ${number}`, () => {
    let earlier: EarlierResponses
    let database: TestDatabase
    let chancery: TestServer
    before(async () => {
      earlier = await readEarlierResponses(number)
      database = await createEarlierDatabase(number)
    })
    after(async () => {
      await chancery?.close()
      await database.drop()
    })

    test('is rejected until it is migrated', async () => {
      await assert.rejects(
        startTestServer({}, { databaseUrl: database.url }),
        /lacks \d+ migrations: run `chancery migrate`/,
      )
    })

    test('is migrated with all its rows, and migration 33 rewrites none', async () => {
      const migrations = await readMigrations()
      const migrateTo = (last: number) =>
        migrate(
          database.target,
          migrations.filter(migration => migration.number <= last),
        )
      const applied = await migrateTo(32)
      const before = await readStorage(database.url)
      applied.push(...(await migrateTo(33)))
      assert.deepEqual(await readStorage(database.url), before)
      applied.push(...(await migrate(database.target)))
      assert.deepEqual(
        applied,
        migrations.filter(migration => migration.number > number).map(({ name }) => name),
      )
      assert.deepEqual(await pendingMigrations(database.target), [])
      assert.deepEqual(await wronglyIndexed(database), [], 'the migration that adds a column has to fill it')
      chancery = await startTestServer({}, { databaseUrl: database.url })
    })

    test('responds as before', async () => {
      for (const [path, response] of Object.entries(earlier.public)) {
        const now = withListsByKey(await chancery.read(path))
        const changed = changes(withListsByKey(response), now).filter(change => !isWording(change))
        assert.deepEqual(changed, [], path)
      }
    })

    test('continues the counters of conflicts', async () => {
      const { data } = await chancery.read<{ data: { wars: { total: number } }[] }>('/global-conflicts')
      assert.ok(data.some(({ wars }) => wars.total > 0))
      await assertConflictsAddUp(database.url)
    })

    test('accepts its keys', async () => {
      for (const [path, response] of Object.entries(earlier.own))
        assert.deepEqual(changes(response, await chancery.read(path, { key: earlier.key })), [], path)
    })

    test('gives its treaties and their events the list of their kinds', async () => {
      type Kinds = { type: string; types: string[]; alliance_ids?: string[] }
      const { data: treaties } = await chancery.read<{ data: Kinds[] }>('/treaties?limit=100')
      const { data: events } = await chancery.read<{ data: { data: Kinds }[] }>(
        '/events?type=treaty.*&limit=100',
      )
      assert.ok(treaties.length > 0 && events.length > 0)
      assert.ok(treaties.every(({ alliance_ids }) => alliance_ids?.length === 2))
      for (const { type, types } of [...treaties, ...events.map(({ data }) => data)])
        assert.deepEqual(types, [type])
      const [{ data = undefined } = {}] = events
      assert.deepEqual(Object.keys(data ?? {}), [
        'treaty_id',
        'type',
        'types',
        'alliances',
        'signed_at',
        'expires_at',
      ])
    })

    test('applies further batches', async () => {
      const newest = async () =>
        (await chancery.read<{ data: { seq: number }[] }>('/events?limit=1')).data[0]?.seq ?? 0
      const seq = await newest()
      const { status } = await chancery.ingest([
        { op: 'put', resource: 'nation', data: { id: 'n-new', nation_name: 'New' } },
      ])
      assert.equal(status, 'applied')
      assert.equal(await newest(), seq + 1)
      const names = await chancery.read<{ data: { nation_name: string }[] }>('/nations?limit=100')
      assert.ok(names.data.some(({ nation_name }) => nation_name === 'New'))
    })

    if (number === 32) testRenamed(() => chancery)
  })
}

/** The operator API shows the rows of renamed tables and columns. */
function testRenamed(chancery: () => TestServer): void {
  // biome-ignore lint/suspicious/noExplicitAny: compared member by member
  const show = async (path: string): Promise<any> => (await chancery().operate('GET', path)).json()

  test('shows its dead letters', async () => {
    const { data, dropped } = await show('/refused')
    assert.deepEqual(
      data.map((each: Record<string, unknown>) => [each.id, each.tries, each.overtaken_by]),
      [
        ['bad-kept', 2, null],
        ['bad-old', 1, 'newer'],
      ],
    )
    assert.equal(data[0].refusals[0].path, '/data/national_score')
    assert.deepEqual(
      dropped.map(({ id }: { id: string }) => id),
      ['bad-dropped'],
    )
    assert.equal((await chancery().operate('POST', '/refused/bad-old/retry', {})).status, 409)
  })

  test('shows its deliveries, limit requests and audit log', async () => {
    const [endpoint] = (await show('/webhooks')).data
    assert.ok(Date.parse(endpoint.created_at) > 0)
    const [delivery] = (await show(`/webhooks/${endpoint.id}/deliveries?state=delivered`)).data
    assert.deepEqual([delivery.attempts[0].status, delivery.attempts[0].answer], [202, 'thank you'])
    const [key] = (await show('/keys?player_id=p-own')).data
    assert.equal(key.limit_request.sentence, 'I read every war of the world.')
    const { data } = await show('/log?limit=100')
    assert.ok(data.some(({ subject }: { subject: string | null }) => subject === 'newer'))
  })

  test('keeps no old name of a table in indexes, constraints, sequences and statistics', async () => {
    const { rows } = await withConnection(chancery().databaseUrl, client =>
      client.query<{ name: string }>(`
        select name from (
          select relname as name, relnamespace as namespace from pg_class
          union all select conname, connamespace from pg_constraint
          union all select stxname, stxnamespace from pg_statistic_ext
        ) as named join pg_namespace n on n.oid = namespace
        where nspname like 'chancery\\_%'
          and name ~ '^(nation_(place|moved|yesterday|changed)|alliance_(place|yesterday)|conflict_(fighter|tally)|war_count(_pkey)?$|logging|refused|counted_war|operator_log|(key|address)_(call|minute|hour))'`),
    )
    assert.deepEqual(rows, [])
  })
}

test('a backup of an earlier version is restored as that database is migrated', async t => {
  const restored = await createTestDatabase()
  t.after(() => restored.drop())
  const migrated = await createEarlierDatabase(32)
  t.after(() => migrated.drop())
  const { migrated: applied } = await restoreTo(restored, await readEarlierBackup())
  assert.deepEqual(
    applied,
    (await readMigrations()).filter(({ number }) => number > 32).map(({ name }) => name),
  )
  await migrate(migrated.target)
  const [one, other] = [await readTables(restored.url), await readTables(migrated.url)]
  assert.deepEqual([...one.keys()], [...other.keys()])
  for (const [table, rows] of one) {
    // Rankings and counters are computed by the restore. Times of these tables are moved to the present in the other database.
    if (/ranking|_meta|pulse|log_gap/.test(table)) continue
    assert.equal(rows.length, other.get(table)?.length, table)
    if (!/dead_letter|audit_log|_outbound/.test(table)) assert.deepEqual(rows, other.get(table), table)
  }
})
