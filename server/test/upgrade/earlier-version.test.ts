import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { migrate, pendingMigrations, readMigrations } from '../../src/store/migrations.ts'
import { assertConflictsAddUp } from '../ingest/conflict-numbers.ts'
import type { TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createEarlierDatabase, type EarlierAnswers, readEarlierAnswers } from './earlier-world.ts'

let earlier: EarlierAnswers
let database: TestDatabase
let chancery: TestServer
before(async () => {
  earlier = await readEarlierAnswers()
  database = await createEarlierDatabase()
})
after(async () => {
  await chancery?.close()
  await database.drop()
})

test('a database of an earlier version is rejected until it is migrated', async () => {
  await assert.rejects(
    startTestServer({}, { databaseUrl: database.url }),
    /lacks \d+ migrations: run `chancery migrate`/,
  )
})

test('it is brought to this version with all that it holds', async () => {
  const later = (await readMigrations()).filter(({ number }) => number > 12)
  assert.deepEqual(
    await migrate(database.target),
    later.map(({ name }) => name),
  )
  assert.deepEqual(await pendingMigrations(database.target), [])
  chancery = await startTestServer({}, { databaseUrl: database.url })
})

/** What has changed: every member that was there and is not, or is another. Members that came are no change. */
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

/** What event kinds are described with may be worded in another way. */
const isWording = (change: string) => /^\/data\/event_kinds\/\d+\/description: /.test(change)

test('it responds as the earlier version did', async () => {
  for (const [path, answer] of Object.entries(earlier.public)) {
    const changed = changes(answer, await chancery.read(path)).filter(change => !isWording(change))
    assert.deepEqual(changed, [], path)
  }
})

test('numbers of conflicts go on from the wars of that time', async () => {
  const { data } = await chancery.read<{ data: { wars: { total: number } }[] }>('/global-conflicts')
  assert.ok(data.some(({ wars }) => wars.total > 0))
  await assertConflictsAddUp(database.url)
})

test('an earlier key keeps its access', async () => {
  for (const [path, answer] of Object.entries(earlier.own))
    assert.deepEqual(changes(answer, await chancery.read(path, { key: earlier.key })), [], path)
})

test('the world continues', async () => {
  const newest = async () =>
    (await chancery.read<{ data: { seq: number }[] }>('/events?limit=1')).data[0]?.seq ?? 0
  const stood = await newest()
  const { status } = await chancery.ingest([
    { op: 'put', resource: 'nation', data: { id: 'n-new', nation_name: 'New' } },
  ])
  assert.equal(status, 'applied')
  assert.equal(await newest(), stood + 1)
  const names = await chancery.read<{ data: { nation_name: string }[] }>('/nations?limit=100')
  assert.ok(names.data.some(({ nation_name }) => nation_name === 'New'))
})
