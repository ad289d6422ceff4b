import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  type DerivedList,
  demoProfile,
  type FactResource,
  factResources,
  inputFields,
  isNullable,
  type Operation,
  operations,
  type Resource,
} from '@chancery/contract'
import { factTable } from '../../src/ingest/entity-store.ts'
import { indexedColumnsOf } from '../../src/resources/nations/store.ts'
import { factColumns } from '../../src/store/fact-columns.ts'
import { withConnection } from '../support/database-url.ts'
import { useTestDatabase } from '../support/fixture.ts'

const contract = contractFor(demoProfile)
const database = useTestDatabase()

/** Fields with a column for each of their members or items. */
const splitFields: Partial<Record<FactResource, string[]>> = {
  war: ['attacker', 'defender'],
}

/** The collation of each column; null of one without. */
async function columnsOf(table: string): Promise<Map<string, string | null>> {
  const rows = await database.query<{ name: string; collation: string | null }>(
    `select attname as name, c.collname as collation
     from pg_attribute a left join pg_collation c on c.oid = attcollation
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [table],
  )
  return new Map(rows.map(({ name, collation }) => [name, collation]))
}

test('every public field that facts fill has its column, and ids are compared bytewise', async () => {
  for (const resource of factResources) {
    const { table } = factTable(resource)
    const { world, secret } = factColumns(contract, resource)
    const fields = new Map(inputFields(contract.resources[resource]))
    const columns = await columnsOf(table)
    for (const name of table.startsWith('chancery_world.') ? world : secret) {
      if (splitFields[resource]?.includes(name)) continue
      assert.ok(columns.has(name), `${table} has no column ${name}: add it in a migration`)
      if (/(^|_)id$/.test(name) && fields.has(name))
        assert.equal(columns.get(name), 'C', `${table}.${name} needs collate "C"`)
    }
  }
})

test('the ranking index has a column for every filter of nations', async () => {
  const columns = await columnsOf('chancery_world.nation_ranking')
  for (const name of Object.keys(indexedColumnsOf([])))
    assert.ok(columns.has(name), `nation_ranking has no column ${name}: add it in a migration, and fill it`)
})

/** A game has few of these. */
const short = ['era']

test('every derived list is read in the order of an index', async () => {
  for (const operation of Object.values<Operation>(operations)) {
    if (!('order' in operation)) continue
    const { id, resource, order, parameters } = operation as DerivedList
    const inPath = Object.values(parameters).flatMap(({ in: place, compares }) =>
      place === 'path' && compares ? compares.fields.map(field => `${field} = 'x'`) : [],
    )
    if (short.includes(resource)) continue
    const { fields }: Resource = contract.resources[resource]
    const parts = Object.entries(order).map(
      ([field, direction]) =>
        `${field}${direction === 'descending' ? ' desc' : ''}${isNullable(fields[field] ?? {}) ? ' nulls last' : ''}`,
    )
    const plan = await withConnection(database.url, async client => {
      await client.query('set enable_sort = off')
      await client.query('set enable_seqscan = off')
      const { rows } = await client.query(
        `explain select * from chancery_world.${resource}
         where ${['true', ...inPath].join(' and ')} order by ${parts.join(', ')} limit 1`,
      )
      return JSON.stringify(rows)
    })
    assert.doesNotMatch(plan, /Sort/, `${id}: no index of ${resource} is in the order ${parts.join(', ')}`)
  }
})
