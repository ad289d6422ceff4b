import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  demoProfile,
  type FactResource,
  factResources,
  type Operation,
  operations,
  primaryKeys,
  type Resource,
} from '@chancery/contract'
import { createPool, raw, sql } from '../../src/store/database.ts'
import type { Schema } from '../disclosure/slots.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { alliance, member, nation, put, war } from './facts.ts'

type Data = Record<string, unknown>

const contract = contractFor(demoProfile)

/** The public and the private table of a resource. */
const tablesOf = (resource: FactResource): { world?: string; secret?: string } =>
  otherTables[resource] ?? { world: resource }
const otherTables: Partial<Record<FactResource, { world?: string; secret: string }>> = {
  alliance: { world: 'alliance', secret: 'alliance_private' },
  nation: { world: 'nation', secret: 'nation_private' },
  alliance_member: { world: 'alliance_member', secret: 'member_private' },
  alliance_application: { secret: 'alliance_application' },
}

/** The path of the list that contains an entity; undefined for a resource that no operation returns. */
function pathOf(resource: FactResource, data: Data): string | undefined {
  const operation = Object.values<Operation>(operations).find(({ returns }) =>
    returns.resources.includes(resource),
  )
  const { compares = { fields: ['alliance_id'] } } = operation?.parameters.id ?? {}
  return operation && `${operation.path.replace('{id}', String(data[compares.fields[0] ?? '']))}?limit=100`
}

const ids = ['x0', 'x1']
/** Others than the sides: helpers in a battle, and participants of a war. */
const others = ['x2', 'x3']
const timeOf = (seed: number) => `2026-05-${String((seed % 28) + 1).padStart(2, '0')}T10:00:00Z`
const chancery = closeAfter(await startTestServer())
const pool = closeAfter(createPool({ target: { connectionString: chancery.databaseUrl }, connectionsMax: 1 }))
// Any reference to one of the two ids finds something, whatever it refers to.
await chancery.ingest(
  [
    ...ids.flatMap(id => [
      nation(id),
      alliance(id),
      put('era', { id, name: id }),
      put('conflict', { id, name: id, started_at: timeOf(0) }),
    ]),
    ...others.map(id => nation(id)),
    ...ids.map((id, index) => war(id, id, ids[1 - index] ?? '')),
  ],
  { waits: false },
)

/** A value with all its members, other than the one of the next number. */
function valueFor(schema: Schema, name: string, seed: number): unknown {
  const { enum: words, properties, items, pattern, format, minimum = 0, minItems = 1, maxLength } = schema
  const type = [schema.type ?? 'object'].flat().find(each => each !== 'null')
  if (words) return words.filter(word => word !== null)[seed % words.filter(word => word !== null).length]
  if (type === 'boolean') return seed % 2 === 0
  if (type === 'integer' || type === 'number')
    return Math.max(minimum, -100) + seed + (schema['x-decimals'] ? 0.25 : 0)
  if (type === 'array')
    return Array.from({ length: minItems }, (_, index) => {
      const item = valueFor(items ?? {}, name, seed + index)
      return name === 'participants' ? { ...(item as Data), nation_id: others[0] } : item
    })
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties ?? {}).map(([key, member], index) => [
        key,
        valueFor(member, key, seed + index),
      ]),
    )
  if (format === 'date-time') return timeOf(seed)
  if (pattern?.startsWith('^[A-Za-z')) return (name.includes('helper') ? others : ids)[seed % 2]
  if (pattern?.startsWith('^https')) return `https://game.example/${name}/${seed}`
  if (pattern) return `#00000${seed % 10}`
  return `${seed} ${name}`.slice(0, maxLength)
}

const fieldsOf = (resource: FactResource): [string, Schema][] =>
  Object.entries(contract.factSchemas[resource].properties as Record<string, Schema>)

/** Values of fields that have to agree with each other, or with the profile. */
const agreeing: Partial<Record<FactResource, (variant: number, data: Data) => Data>> = {
  nation: (_variant, data) => ({
    status: demoProfile.nation_statuses?.find(({ key }) => key === data.game_status)?.is,
  }),
  war: (_variant, data) => ({
    outcome: demoProfile.war_outcomes?.find(({ key }) => key === data.game_outcome)?.is,
  }),
  market_price: () => ({ resource: demoProfile.resources[0]?.key }),
  treaty: variant => {
    const types = demoProfile.treaty_types.map(({ key }) => key).slice(variant)
    const [alliance_ids, nation_ids] = variant === 0 ? [ids, []] : [[], ids]
    return { status: 'ended', alliance_ids, nation_ids, type: types[0], types }
  },
}

/** A fact that sets every field of its resource. */
function wholeFact(resource: FactResource, variant: number): Data {
  const key = primaryKeys[resource]
  const data = Object.fromEntries(
    fieldsOf(resource).map(([name, schema], index) => [name, valueFor(schema, name, index + variant)]),
  )
  return { ...data, [key]: 'whole', ...agreeing[resource]?.(variant, data) }
}

const isPublic = (resource: FactResource, name: string) => {
  const { fields, factFields }: Resource = contract.resources[resource]
  return { ...fields, ...factFields }[name]?.['x-class'] === 'public'
}

async function rowOf(schema: string, table: string | undefined, key: unknown): Promise<Data> {
  if (table === undefined) return {}
  const row = await pool.first<Data>(sql`
    select * from ${raw(`chancery_${schema}.${table}`)} where ${raw(await keyOf(schema, table))} = ${key}`)
  return row ?? {}
}

async function keyOf(schema: string, table: string): Promise<string> {
  const row = await pool.first<{ name: string }>(sql`
    select a.attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indisprimary and i.indrelid = ${`chancery_${schema}.${table}`}::regclass`)
  return row?.name ?? 'none'
}

/** The stored values of a row, under the names of its fields. */
async function stored(resource: FactResource, data: Data): Promise<Data> {
  const key = data[primaryKeys[resource]]
  const world = await rowOf('world', tablesOf(resource).world, key)
  const secret = await rowOf('secret', tablesOf(resource).secret, key)
  const columnOf = (name: string, schema: Schema): unknown => {
    if (name === 'attributes')
      return { ...attributes(world, 'attributes'), ...attributes(secret, 'attributes', 'admin_attributes') }
    if (resource === 'war' && (name === 'attacker' || name === 'defender'))
      return Object.fromEntries(
        Object.keys(schema.properties ?? {}).map(member => [member, world[`${name}_${member}`]]),
      )
    // A key column of a secret table may have another name.
    if (name === primaryKeys[resource]) return key
    return isPublic(resource, name) ? world[name] : secret[name]
  }
  return Object.fromEntries(fieldsOf(resource).map(([name, schema]) => [name, columnOf(name, schema)]))
}

const attributes = (row: Data, ...columns: string[]) =>
  Object.assign({}, ...columns.map(column => row[column] as object)) as Data

/** Applies facts of all resources as one batch, and compares the tables. */
async function applyAll(facts: (resource: FactResource) => Data, expected: (resource: FactResource) => Data) {
  await chancery.ingest(
    factResources.map((resource): Fact => put(resource, facts(resource))),
    { waits: false },
  )
  for (const resource of factResources)
    assert.deepEqual(await stored(resource, facts(resource)), expected(resource), resource)
}

test('every field of every fact is stored, of new and of existing entities', async () => {
  for (const variant of [0, 1]) {
    const whole = (resource: FactResource) => wholeFact(resource, variant)
    await applyAll(whole, whole)
  }
})

test('every field keeps its value when a later fact leaves it out, and every object its members', async () => {
  const known = (resource: FactResource) => wholeFact(resource, 1)
  const partsOf = (resource: FactResource) =>
    fieldsOf(resource).flatMap(([name, { properties }]) => {
      // The last member: a side of a war with another nation copies its current names.
      const member = Object.entries(wholeFact(resource, 0)[name] ?? {}).at(-1)
      return properties && member ? [[name, Object.fromEntries([member])] as const] : []
    })
  await applyAll(
    resource => {
      const { [primaryKeys[resource]]: key } = known(resource)
      return { ...Object.fromEntries(partsOf(resource)), [primaryKeys[resource]]: key }
    },
    resource => {
      const merged = partsOf(resource).map(([name, part]) => [
        name,
        { ...(known(resource)[name] as object), ...part },
      ])
      return { ...known(resource), ...Object.fromEntries(merged) }
    },
  )
})

test('every public field of a fact is in the response that shows it, and every private one in its owner’s response', async () => {
  await applyAll(
    resource => wholeFact(resource, 0),
    resource => wholeFact(resource, 0),
  )
  const contains = (shown: unknown, sent: unknown): boolean =>
    typeof sent === 'object' && sent !== null && typeof shown === 'object' && shown !== null
      ? Object.entries(sent).every(([name, value]) => contains((shown as Data)[name], value))
      : shown === sent
  const assertShown = (resource: FactResource, shown: Data, classes: string[]) => {
    const sent = wholeFact(resource, 0)
    for (const [name, field] of Object.entries(
      contract.resources[resource].fields as Record<string, Schema>,
    )) {
      if (field['x-derived'] || !classes.includes(field['x-class'] ?? '')) continue
      const readable = Object.entries(field.properties ?? {}).filter(([, { 'x-class': of }]) =>
        of ? classes.includes(of) : true,
      )
      const value = field.properties
        ? Object.fromEntries(readable.map(([key]) => [key, (sent[name] as Data)[key]]))
        : sent[name]
      assert.ok(contains(shown[name], value), `${resource}.${name}: ${JSON.stringify(shown[name])}`)
    }
  }
  for (const resource of factResources) {
    const sent = wholeFact(resource, 0)
    const path = pathOf(resource, sent)
    if (path === undefined) {
      // Applications are private.
      assert.equal(resource, 'alliance_application', `no operation returns ${resource}`)
      continue
    }
    const { data } = await chancery.read<{ data: Data | Data[] }>(path)
    const keyName = primaryKeys[resource]
    const found = [data].flat().find(item => item[keyName] === sent[keyName])
    assert.ok(found, `${resource} is not shown`)
    assertShown(resource, found, ['public'])
  }
  const { key } = await chancery.makeKey({ nation_id: 'whole' }, [
    'nation.read',
    'military.read',
    'economy.read',
    'production.read',
    'alliance.read',
    'treasury.read',
  ])
  // Only what the nation's own alliance assigns is shown.
  const [assignment] = wholeFact('nation', 0).assignments as { alliance_id: string }[]
  await chancery.ingest([member('whole', assignment?.alliance_id ?? '')], { waits: false })
  const own = await chancery.read<{ data: Data }>('/me/nation', { key })
  assertShown('nation', own.data, ['public', 'player_private', 'alliance_private'])
})
