import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createChangedRowWriter } from '../../src/ingest/entity-store.ts'
import { createPool, raw, sql } from '../../src/store/database.ts'
import { createTestDatabase } from '../support/database.ts'
import { randomRuns } from '../support/tier.ts'

const database = await createTestDatabase()
const pool = createPool({ target: database.target, connectionsMax: 1 })
after(async () => {
  await pool.close()
  await database.drop()
})

// Six columns have more sets than a connection keeps statements for.
const names = ['one', 'two', 'three', 'four', 'five', 'six'] as const
type Row = { id: string } & Record<(typeof names)[number], number | null>

const value = fc.constantFrom(null, 1, 2)
const step = fc.record({
  columns: fc.subarray([...names], { minLength: 1 }),
  rows: fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), value), {
    selector: ([id]) => id,
    minLength: 1,
  }),
})

for (const isNested of [false, true]) {
  test(`rows are stored correctly, whatever columns change, as ${isNested ? 'jsonb' : 'json'}`, async () => {
    const table = `public.tried_${isNested}`
    const columns = names.map(name => `${name} bigint`).join(', ')
    await pool.rows(sql`${raw(`create table ${table} (id text primary key, ${columns})`)}`)
    const write = createChangedRowWriter(table, 'id', ['id', ...names], { isNested })
    const rows = new Map<string, Row>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async steps => {
        for (const { columns, rows: changedRows } of steps) {
          const changes = changedRows.map(([id, number]) => {
            const known = rows.get(id)
            const start: Row = known ?? { id, one: 0, two: 0, three: 0, four: 0, five: 0, six: 0 }
            const values = Object.fromEntries(columns.map(column => [column, number]))
            return { before: known, after: { ...start, ...values } }
          })
          await write(pool, changes)
          for (const { after: row } of changes) rows.set(row.id, row)
          const stored = await pool.rows<Row>(sql`${raw(`select * from ${table} order by id`)}`)
          assert.deepEqual(
            stored,
            [...rows.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
          )
        }
      }),
      { numRuns: randomRuns(40), endOnFailure: true },
    )
  })
}

test('a row that has not changed is not written', async () => {
  const write = createChangedRowWriter('public.kept', 'id', ['id', 'one'])
  await pool.rows(sql`create table public.kept (id text primary key, one bigint)`)
  await write(pool, [{ before: undefined, after: { id: 'a', one: 1 } }])
  const versionOf = () => pool.first<{ version: string }>(sql`select xmin::text as version from public.kept`)
  const version = await versionOf()
  await write(pool, [{ before: { id: 'a', one: 1 }, after: { id: 'a', one: 1 } }])
  assert.deepEqual(await versionOf(), version)
  await write(pool, [{ before: { id: 'a', one: 1 }, after: { id: 'a', one: 2 } }])
  assert.notDeepEqual(await versionOf(), version)
})

test('an equal nested value is not written', async () => {
  for (const form of ['json', 'jsonb']) {
    const table = `public.nested_${form}`
    await pool.rows(sql`${raw(`create table ${table} (id text primary key, units ${form})`)}`)
    const write = createChangedRowWriter(table, 'id', ['id', 'units'], { isNested: form === 'jsonb' })
    await write(pool, [{ before: undefined, after: { id: 'a', units: { tanks: 1, planes: [2] } } }])
    const read = () =>
      pool.first<{ version: string; units: object }>(
        sql`${raw(`select xmin::text as version, units from ${table}`)}`,
      )
    const stored = await read()
    assert.ok(stored)
    await write(pool, [{ before: stored, after: { id: 'a', units: { planes: [2], tanks: 1 } } }])
    assert.deepEqual(await read(), stored)
    await write(pool, [{ before: stored, after: { id: 'a', units: { tanks: 1, planes: [3] } } }])
    assert.deepEqual((await read())?.units, { tanks: 1, planes: [3] })
  }
})
