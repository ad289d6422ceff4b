import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { adoptProfile } from '../../src/profile/adopt-profile.ts'
import { roundLock } from '../../src/store/locks.ts'
import { alliance, nation, put, remove } from '../ingest/facts.ts'
import { attribute, changed } from '../profile/games.ts'
import { withConnection, withoutRounds } from '../support/database-url.ts'
import { useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'
import { until } from '../support/until.ts'

const profile = changed(({ attributes }) => {
  attributes.nation.push(
    attribute('prestige', { type: 'integer', ranked: true }),
    attribute('luck', { type: 'number', ranked: true }),
    attribute('depth', { type: 'number' }),
  )
  attributes.alliance.push(attribute('fame', { type: 'number', ranked: true }))
})
const chancery = useTestServer({}, { profile })

interface Place {
  rank: number
  previous_rank: number | null
  value: number
  national_score: number
  total_score: number
  nation: { id: string }
  alliance: { id: string }
}
interface Page {
  data: Place[]
  pagination: { total: number }
}

const pageOf = (query: string) => chancery.read<Page>(`/rankings?${query}`)
const ranked = async (query: string) => {
  const { data, pagination } = await pageOf(`limit=100&${query}`)
  assert.equal(pagination.total, data.length, query)
  return data.map(({ rank, value, nation, alliance }) => [(nation ?? alliance).id, rank, value] as const)
}
const nationsBy = async (query: string) => {
  const { data, pagination } = await chancery.read<{ data: { id: string }[]; pagination: { total: number } }>(
    `/nations?limit=100&attribute=${query}`,
  )
  assert.equal(pagination.total, data.length, query)
  return data.map(({ id }) => id).toSorted()
}
const withValues = (key: string, values: Record<string, number | null>): Fact[] =>
  Object.entries(values).map(([id, value]) => nation(id, { attributes: { [key]: value } }))

test('nations are ranked by an attribute, highest first, then id; without a value they are left out', async () => {
  await chancery.ingest([
    ...withValues('prestige', { d: 5, b: 7, a: 5, e: -1, none: null }),
    nation('c', { national_score: 90, attributes: { prestige: 5, luck: 0.25 } }),
    nation('unset', { national_score: 100 }),
  ])
  assert.deepEqual(await ranked('attribute=prestige'), [
    ['b', 1, 7],
    ['a', 2, 5],
    ['c', 2, 5],
    ['d', 2, 5],
    ['e', 5, -1],
  ])
  assert.deepEqual(await ranked('board=nations&attribute=luck'), [['c', 1, 0.25]])
  const { data } = await pageOf('attribute=prestige&limit=1&page=3')
  assert.deepEqual(
    data.map(({ national_score, nation }) => [nation.id, national_score]),
    [['c', 90]],
  )
})

test('without an attribute the value is the score', async () => {
  const { data } = await pageOf('limit=2')
  assert.deepEqual(
    data.map(({ value, national_score }) => [value, national_score]),
    [
      [100, 100],
      [90, 90],
    ],
  )
})

test('alliances are ranked by an attribute', async () => {
  await chancery.ingest([
    ...['p', 'q', 'r'].map((id, index) => alliance(id, { attributes: { fame: index / 4 } })),
    alliance('s'),
    put('alliance_member', { nation_id: 'c', alliance_id: 'p', rank: 'consul' }),
  ])
  assert.deepEqual(await ranked('board=alliances&attribute=fame'), [
    ['r', 1, 0.5],
    ['q', 2, 0.25],
    ['p', 3, 0],
  ])
  const { data } = await pageOf('board=alliances')
  assert.deepEqual([data[0]?.alliance.id, data[0]?.value, data[0]?.total_score], ['p', 90, 90])
})

test('another attribute is rejected with those that are allowed', async () => {
  for (const [query, allowed] of [
    ['attribute=depth', 'prestige, luck'],
    ['attribute=none', 'prestige, luck'],
    ['attribute=fame', 'prestige, luck'],
    ['board=alliances&attribute=prestige', 'fame'],
  ] as const) {
    const response = await chancery.get(`/rankings?${query}`)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.deepEqual([response.status, error.code], [400, 'invalid_parameter'], query)
    assert.match(error.message, new RegExp(`\`attribute\` must be one of ${allowed}, or left out`), query)
  }
  assert.deepEqual(await ranked('attribute='), await ranked(''))
})

test('nations are selected by a range of a ranked attribute, and by no other', async () => {
  assert.deepEqual(await nationsBy('prestige'), ['a', 'b', 'c', 'd', 'e'])
  assert.deepEqual(await nationsBy('prestige&min_attribute=5'), ['a', 'b', 'c', 'd'])
  const upTo5 = ['a', 'c', 'd', 'e']
  assert.deepEqual(await nationsBy('prestige&min_attribute=-1&max_attribute=5&sort=name'), upTo5)
  assert.deepEqual(await nationsBy('luck&max_attribute=0.25'), ['c'])
  for (const [query, message] of [
    ['attribute=depth', /`attribute` must be one of prestige, luck, or left out/],
    ['attribute=fame', /`attribute` must be one of prestige, luck, or left out/],
    ['min_attribute=5', /`min_attribute` requires `attribute`/],
    ['attribute=&max_attribute=5', /`max_attribute` requires `attribute`/],
  ] as const) {
    const response = await chancery.get(`/nations?${query}`)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.deepEqual([response.status, error.code], [400, 'invalid_parameter'], query)
    assert.match(error.message, message)
  }
})

test('previous_rank is the rank by the same attribute when yesterday ended', async () => {
  const previous = async () =>
    (await pageOf('attribute=prestige')).data.map(({ nation, rank, previous_rank }) => [
      nation.id,
      rank,
      previous_rank,
    ])
  await chancery.query('update chancery_world.ranking_round set day = current_date - 1')
  await chancery.ingest([...withValues('prestige', { e: 9, f: 8 })])
  const expected = [
    ['e', 1, 5],
    ['f', 2, null],
    ['b', 3, 1],
    ['a', 4, 2],
    ['c', 4, 2],
    ['d', 4, 2],
  ]
  assert.deepEqual(await previous(), expected)
  await chancery.ingest([nation('f', { motto: 'A later round of the same day keeps them' })])
  assert.deepEqual(await previous(), expected)
})

test('between rounds the total and the pages have no deleted nations, and values are those of the round', async () => {
  await withoutRounds(chancery, async () => {
    await chancery.ingest(
      [
        remove('nation', 'b'),
        remove('nation', 'd'),
        nation('new', { attributes: { prestige: 99 } }),
        nation('b'),
      ],
      { waits: false },
    )
    await chancery.ingest([...withValues('prestige', { a: 50 })], { waits: false })
    const expected = [
      ['e', 1, 9],
      ['f', 2, 8],
      ['a', 4, 5],
      ['c', 4, 5],
    ]
    assert.deepEqual(await ranked('attribute=prestige'), expected)
    for (const [index, [id]] of expected.entries()) {
      const { data, pagination } = await pageOf(`attribute=prestige&limit=1&page=${index + 1}`)
      assert.deepEqual([data[0]?.nation.id, pagination.total], [id, 4])
    }
  })
})

test('between rounds nations are selected by their current values', async () => {
  await withoutRounds(chancery, async () => {
    const values: Record<string, number | null> = { a: 3, c: 8, e: 9, f: null, g: 7, new: 4 }
    await chancery.ingest([...withValues('prestige', values), nation('b')], { waits: false })
    await chancery.ingest([remove('nation', 'g')], { waits: false })
    delete values.g
    for (const min of [undefined, -1, 4, 5, 8, 8.5, 9, 100])
      for (const max of [undefined, -1, 4, 5, 8, 8.5, 9, 100])
        assert.deepEqual(
          await nationsBy(
            `prestige${min === undefined ? '' : `&min_attribute=${min}`}${max === undefined ? '' : `&max_attribute=${max}`}`,
          ),
          Object.keys(values)
            .filter(id => {
              const value = values[id] ?? Number.NaN
              return value >= (min ?? -Infinity) && value <= (max ?? Infinity)
            })
            .toSorted(),
          `${min} to ${max}`,
        )
  })
})

test('migration 0060 fills the index with the values that ingestion wrote', async () => {
  const migration = await readFile(
    new URL('../../src/store/migrations/0060_ranked_values.sql', import.meta.url),
    'utf8',
  )
  const values = () =>
    chancery.query('select nation_id, ranked_values from chancery_world.nation_ranking order by nation_id')
  const before = await values()
  assert.ok(before.length > 3)
  await withConnection(chancery.databaseUrl, client =>
    client.query(`
      select pg_advisory_xact_lock(${roundLock});
      alter table chancery_world.nation_ranking drop column ranked_values;
      ${migration}`),
  )
  assert.deepEqual(await values(), before)
})

test('a profile that no longer ranks an attribute deletes its places, and one that does has them without a fact', async () => {
  const target = { connectionString: chancery.databaseUrl }
  const keys = async () =>
    (
      await chancery.query<{ attribute: string }>(
        'select distinct attribute from chancery_world.nation_attribute_ranking order by 1',
      )
    ).map(row => row.attribute)
  /** The attributes with values in the index of nations. */
  const indexed = async () => {
    const rows = await chancery.query<{ key: string }>(
      'select distinct jsonb_object_keys(ranked_values) as key from chancery_world.nation_ranking order by 1',
    )
    return rows.map(({ key }) => key)
  }
  assert.deepEqual(
    [await keys(), await indexed()],
    [
      ['luck', 'prestige'],
      ['luck', 'prestige'],
    ],
  )
  const closed = changed(({ attributes }) => {
    const luck = attributes.nation.find(({ key }) => key === 'luck')
    Object.assign(luck ?? {}, { ranked: false, class: 'player_private', scope: 'economy.read' })
  }, profile)
  const withFewer = changed(({ attributes }) => {
    for (const one of attributes.nation) if (one.key === 'prestige') one.ranked = false
  }, closed)
  await withoutRounds(chancery, async () => {
    await adoptProfile(target, closed)
    assert.deepEqual([await keys(), await indexed()], [['prestige'], ['prestige']])
    await adoptProfile(target, withFewer)
    assert.deepEqual([await keys(), await indexed()], [[], []])
    await adoptProfile(target, closed)
    assert.deepEqual([await keys(), await indexed()], [[], ['prestige']])
    assert.deepEqual(await nationsBy('prestige&min_attribute=8'), ['c', 'e'])
  })
  await adoptProfile(target, withFewer)
  await adoptProfile(target, closed)
  await until(async () => (await keys()).join() === 'prestige', 'a round ranks by prestige again')
})

test('a reset leaves no nation and no alliance in the rankings by attributes', async () => {
  await chancery.ingest([put('era', { id: 'e1', name: 'First', status: 'active' })])
  await withoutRounds(chancery, async () => {
    await chancery.ingest([{ op: 'reset', ended: { id: 'e1' } }], { waits: false })
    for (const query of ['attribute=prestige', 'board=alliances&attribute=fame'])
      assert.deepEqual(await ranked(query), [], query)
  })
})
