import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, operations } from '@chancery/contract'
import { readResponse } from '../http/responses.ts'
import { addHistory, everyOperation, hoursAgo, smallWorld } from '../http/world.ts'
import { battle, nation, put, war } from '../ingest/facts.ts'
import { prepare, useIngestPool, useTestServer } from '../support/fixture.ts'

type Item = Record<string, unknown>

const chancery = useTestServer()
const pool = useIngestPool(chancery)
let latestBatchAt: string
let laterChange: string
prepare(async () => {
  await chancery.ingest(smallWorld(), { waits: false })
  await chancery.ingest([
    nation('n8', {
      nation_name: 'Valmark',
      national_score: 1300,
      status: 'vacation',
      founded_at: '2026-05-03T00:00:00Z',
      attributes: { prestige: 7 },
    }),
    put('nation', { id: 'n7', city_count: 12, attributes: { prestige: 8 } }),
    put('alliance_member', { nation_id: 'n8', alliance_id: 'a1' }),
    war('w2', 'n7', 'n6', {
      ended_at: '2026-05-22T00:00:00Z',
      outcome: 'peace',
      follows_war_id: 'w1',
      participants: [{ side: 'defender', nation_id: 'n8' }],
    }),
    battle('b2', 'w1', 'n1', 'n2', { attacker_alliance_id: null, defender_helper_nation_ids: ['n6'] }),
    battle('b3', 'w2', 'n7', 'n6', { fought_at: '2026-05-21T23:00:00Z', started_at: '2026-05-21T23:00:00Z' }),
    put('treaty', {
      id: 'pact',
      nation_ids: ['n1', 'n2'],
      types: ['protectorate', 'optional_defense'],
      signed_at: '2026-05-02T00:00:00Z',
      ended_at: '2026-05-12T00:00:00Z',
    }),
    put('treaty', {
      id: 'old-pact',
      nation_ids: ['n3', 'n1'],
      type: 'optional_defense',
      signed_at: '2026-05-01T00:00:00Z',
    }),
    put('era', { id: 'e2', name: 'Later' }),
    put('conflict', { id: 'c2', name: 'War of the Isles', started_at: '2026-05-10T00:00:00Z', sides: [] }),
    put('news_item', {
      id: 'news2',
      title: 'Steel is dear',
      category: 'economy',
      published_at: '2026-05-12T00:00:00Z',
    }),
  ])
  await addHistory(chancery, pool)
  latestBatchAt = (await chancery.read<{ data: { world_changed_at: string } }>('/game')).data.world_changed_at
  const { data } = await chancery.read<{ data: { seq: number }[] }>('/changes?limit=100')
  laterChange = String(data[1]?.seq)
})

/** For each filter a value that some items of the list match and others do not. */
const narrowing: Record<string, string | (() => string)> = {
  'nations.list search': 'val',
  'nations.list ids': 'n1,n8,n7',
  'nations.list alliance_id': 'none',
  'nations.list status': 'active',
  'nations.list min_score': '1200',
  'nations.list max_score': '1400',
  'nations.list attribute': 'prestige',
  'nations.list min_attribute': '7.5',
  'nations.list max_attribute': '7.5',
  'rankings.list attribute': 'prestige',
  'alliances.list search': 'pact',
  'alliances.list ids': 'a1',
  'treaties.list nation_id': 'n2,n8',
  'treaties.list alliance_id': 'a1',
  'treaties.list type': 'optional_defense',
  'treaties.list status': 'active',
  'treaties.list ids': 'pact,treaty1',
  'wars.list status': 'active',
  'wars.list nation_id': 'n8',
  'wars.list alliance_id': 'a1',
  'wars.list conflict_id': 'c1',
  'wars.list follows_war_id': 'w1',
  'wars.list ids': 'w1',
  'battles.list nation_id': 'n7',
  'battles.list alliance_id': 'a1',
  'battles.list war_id': 'w1',
  'battles.list conflict_id': 'c1',
  'battles.list status': 'active',
  'battles.list since': '2026-05-21T23:00:00Z',
  'battles.list until': '2026-05-21T23:00:00Z',
  'battles.list ids': 'b1',
  'members.list alliance_id': 'a2,a9',
  'members.list ids': 'n1,n5,n7',
  'conflicts.list ids': 'c1',
  'eras.list ids': 'e2,e9',
  'market.price resource': 'steel,unknown',
  'market.history resource': 'steel',
  'market.history from': () => hoursAgo(2),
  'market.history to': () => hoursAgo(2),
  'news.list category': 'economy',
  'news.list ids': 'news2',
  ...Object.fromEntries(
    ['nations.history', 'alliances.history'].flatMap(id => [
      [`${id} from`, '2026-05-02'],
      [`${id} to`, '2026-05-03'],
    ]),
  ),
  ...Object.fromEntries(
    ['changes.list', 'changes.stream'].flatMap(id => [
      [`${id} resource`, 'nation'],
      [`${id} after`, () => laterChange],
    ]),
  ),
  ...Object.fromEntries(
    ['events.list', 'events.stream'].flatMap(id => [
      [`${id} type`, 'war.declared,nation.founded'],
      [`${id} nation_id`, 'n1,n8'],
      [`${id} alliance_id`, 'a1'],
      [`${id} war_id`, 'w1'],
      [`${id} since`, () => latestBatchAt],
      [`${id} until`, () => latestBatchAt],
      [`${id} after`, '3'],
    ]),
  ),
}

const isStream = ({ cache }: Operation) => cache === 'stream'

const filtersOf = ({ parameters }: Operation) =>
  Object.entries(parameters).flatMap(([name, { in: place, isAlwaysPresent }]) =>
    place === 'query' && !isAlwaysPresent ? [name] : [],
  )

/** Parameters that others require. */
const required = (filters: Record<string, string>): Record<string, string> =>
  'min_attribute' in filters || 'max_attribute' in filters ? { attribute: 'prestige' } : {}

async function list(operation: Operation, path: string, filters: Record<string, string>): Promise<Item[]> {
  const query = new URLSearchParams(
    isStream(operation)
      ? { after: operation.id === 'changes.stream' ? '1' : '0', ...filters }
      : { limit: '100', ...required(filters), ...filters },
  )
  const { status, body } = await readResponse(await chancery.get(`${path}?${query}`))
  assert.equal(status, 200, `${path}?${query}: ${body}`)
  if (isStream(operation))
    return [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(`${data}`) as Item)
  const { data, pagination } = JSON.parse(body) as { data: Item[]; pagination: { total: number } }
  assert.equal(pagination.total, data.length, `${path}?${query}`)
  return data
}

const keysOf = (items: Item[]) =>
  new Set(
    items.map(({ id, seq, date, resource, nation_id }) => String(seq ?? id ?? date ?? resource ?? nation_id)),
  )

for (const { operation, path } of everyOperation) {
  const names = filtersOf(operation)
  if (!(operation.returns.isList || isStream(operation)) || names.length === 0) continue

  test(`every filter of ${operation.id} narrows it, alone and with each of the others`, async () => {
    const all = await list(operation, path, {})
    const filters = names.map(name => {
      const value = narrowing[`${operation.id} ${name}`]
      assert.ok(
        value !== undefined,
        `${name} of ${operation.id} has no value that narrows the list: add one here`,
      )
      return { name, value: typeof value === 'string' ? value : value() }
    })
    const selected = new Map<string, Set<string>>()
    for (const { name, value } of filters) {
      const found = keysOf(await list(operation, path, { [name]: value }))
      assert.ok(
        found.size > 0 && found.size < all.length,
        `${name}=${value} selects ${found.size} of ${all.length}`,
      )
      assert.ok(found.isSubsetOf(keysOf(all)), `${name}=${value}`)
      selected.set(name, found)
    }
    for (const [index, one] of filters.entries()) {
      for (const other of filters.slice(index + 1)) {
        const both = keysOf(await list(operation, path, { [one.name]: one.value, [other.name]: other.value }))
        const expected = selected.get(one.name)?.intersection(selected.get(other.name) ?? new Set())
        assert.deepEqual(both, expected, `${one.name}=${one.value} and ${other.name}=${other.value}`)
      }
    }
  })
}

for (const { operation, path } of everyOperation) {
  if (!('order' in operation)) continue

  test(`${operation.id} is in its declared order, null last`, async () => {
    const items = await list(operation, path, {})
    assert.ok(items.length > 1, 'it needs two items')
    for (const [index, item] of items.slice(1).entries()) {
      const before = items[index] ?? {}
      const field = Object.keys(operation.order).find(name => before[name] !== item[name]) ?? ''
      const [one, other] = [before[field], item[field]] as [string | null, string | null]
      if (other === null) continue
      assert.ok(one !== null && one < other === (operation.order[field] === 'ascending'), `${one}, ${other}`)
    }
  })
}

test('every word of a parameter with a default gives a list of its own', async () => {
  for (const { operation, path } of everyOperation) {
    for (const [name, { kind, isAlwaysPresent, schema }] of Object.entries<Operation['parameters'][string]>(
      operation.parameters,
    )) {
      if (kind !== 'enum' || !isAlwaysPresent) continue
      const lists = await Promise.all(
        (schema as { enum: string[] }).enum.map(async word =>
          JSON.stringify(await list(operation, path, { [name]: word })),
        ),
      )
      assert.equal(new Set(lists).size, lists.length, `${operation.id} ${name}`)
    }
  }
})

test('no value is declared here for what is no filter', () => {
  const filters = Object.values<Operation>(operations).flatMap(operation =>
    filtersOf(operation).map(name => `${operation.id} ${name}`),
  )
  assert.deepEqual(
    Object.keys(narrowing).filter(name => !filters.includes(name)),
    [],
  )
})
