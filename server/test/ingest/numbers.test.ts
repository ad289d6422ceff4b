import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { comesBackExactly, isExactDecimal, toExactDecimal } from '@chancery/contract'
import fc from 'fast-check'
import { changed } from '../profile/games.ts'
import { useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { alliance, member, nation, put, rejectionOf, remove } from './facts.ts'

type Data = Record<string, unknown>

const chancery = useTestServer()

const read = async <T = Data>(path: string, key?: string): Promise<T> =>
  (await chancery.read<{ data: T }>(path, key === undefined ? {} : { key })).data

/** Numbers of up to 15 digits with up to so many decimals, most of them as long as possible. */
function decimals(most: number, { isNegative = false } = {}): fc.Arbitrary<number> {
  const parts = fc.tuple(
    fc.integer({ min: isNegative ? -1 : 1, max: 1 }).filter(sign => sign !== 0),
    fc.oneof(
      fc.nat({ max: 99_999 }),
      fc.maxSafeNat().map(n => n % 10 ** 15),
    ),
    fc.nat({ max: most }),
  )
  return parts.map(([sign, digits, count]) => sign * Number(`${digits}e-${count}`) + 0)
}

describe('scores', () => {
  const borders = [
    ...[1e15, 999_999_999_999_999, 99_999_999_999_999.9, 999_999_999_999.999, 99_999_999_999.9999],
    ...[604_000_000.5, 1_000_000_001, 0.0001, 0],
  ]

  test('of both ends of the range come back exactly, wherever they are read', async () => {
    const scores = [...borders, ...borders.map(score => -score)]
    await chancery.ingest([
      alliance('all'),
      ...scores.flatMap((national_score, index) => [
        nation(`s${index}`, {
          national_score,
          land_area: Math.abs(national_score),
          attributes: { literacy_percent: national_score },
        }),
        member(`s${index}`, 'all'),
      ]),
    ])
    const expected = new Map(scores.map((score, index) => [`s${index}`, score + 0]))
    for (const [id, score] of expected) {
      const found = await read<{ national_score: number; land_area: number; attributes: Data }>(
        `/nations/${id}`,
      )
      assert.deepEqual(
        [found.national_score, found.land_area, found.attributes.literacy_percent],
        [score, Math.abs(score), score],
      )
    }
    const ranked = await read<{ national_score: number; nation: { id: string } }[]>('/rankings?limit=100')
    for (const item of ranked) assert.equal(item.national_score, expected.get(item.nation.id))
    const members = await read<{ national_score: number; nation_id: string }[]>(
      '/alliances/all/members?limit=100',
    )
    for (const item of members) assert.equal(item.national_score, expected.get(item.nation_id))
    const { total_score, average_score } = await read('/alliances/all')
    assert.deepEqual([total_score, average_score], [0, 0], 'the sum is exact')
  })

  test('with any digits come back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(decimals(4, { isNegative: true }), { minLength: 20, maxLength: 20 }),
        async scores => {
          await chancery.ingest(
            scores.map((national_score, index) => nation(`r${index}`, { national_score })),
            { waits: false },
          )
          const found = await read<{ id: string; national_score: number }[]>(
            `/nations?limit=100&ids=${scores.map((_, index) => `r${index}`).join(',')}`,
          )
          const known = new Map(found.map(({ id, national_score }) => [id, national_score]))
          assert.deepEqual(
            scores.map((_, index) => known.get(`r${index}`)),
            scores,
          )
        },
      ),
      { numRuns: randomRuns(40) },
    )
  })

  test('that are -0 do not change a nation whose score is 0', async () => {
    await chancery.ingest([
      put('nation', {
        id: 'zero',
        nation_name: 'Zero',
        national_score: 0,
        attributes: { literacy_percent: 0 },
      }),
    ])
    const stored = () => chancery.query("select updated_at from chancery_world.nation where id = 'zero'")
    const before = await stored()
    const minusZero =
      '{"op":"put","resource":"nation","data":{"id":"zero","national_score":-0.0,"attributes":{"literacy_percent":-0}}}'
    const [outcome] = await chancery.send(`${minusZero}\n{"op":"commit","batch":"minus-zero"}\n`)
    assert.equal(outcome?.status, 'applied')
    assert.deepEqual(await stored(), before)
  })
})

describe('sums of scores', () => {
  const sumOf = async (id: string, scores: readonly number[]) => {
    await chancery.ingest([
      alliance(id),
      ...scores.flatMap((national_score, index) => [
        nation(`${id}${index}`, { national_score }),
        member(`${id}${index}`, id),
      ]),
    ])
    const { total_score, average_score } = await read(`/alliances/${id}`)
    return [total_score, average_score]
  }

  test('beyond 2^53 are the nearest double of the exact sum, above and below 0', async () => {
    const large = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 1e15 : 99_999_999_999.9999))
    assert.deepEqual(await sumOf('large', large), [20_002_000_000_000_000, 500_050_000_000_000])
    assert.deepEqual(
      await sumOf(
        'debt',
        large.map(score => -score),
      ),
      [-20_002_000_000_000_000, -500_050_000_000_000],
    )
    const [stored] = await chancery.query<{ sum: string }>(
      "select total_score::text as sum from chancery_world.alliance where id = 'large'",
    )
    assert.equal(stored?.sum, '20001999999999999.9980')
  })

  test('are the nearest double of the exact sum, and of the exact average rounded to 4 decimals', async () => {
    const partsOf = (score: number) => {
      const [whole = '', fraction = ''] = String(score).split('.')
      return BigInt(whole + fraction.padEnd(4, '0'))
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(decimals(4, { isNegative: true }), { minLength: 1, maxLength: 9 }),
        async scores => {
          const parts = scores.map(partsOf).reduce((one, other) => one + other)
          const count = BigInt(scores.length)
          const size = parts < 0n ? -parts : parts
          const average = (2n * size + count) / (2n * count)
          assert.deepEqual(await sumOf('random', scores), [
            Number(`${parts}e-4`),
            Number(`${parts < 0n ? -average : average}e-4`),
          ])
          await chancery.ingest(scores.map((_, index) => remove('nation', `random${index}`)))
        },
      ),
      { numRuns: randomRuns(60) },
    )
  })

  test('do not keep an error of a member that was large', async () => {
    assert.deepEqual(await sumOf('moving', [1e15, 0.0001, -0.0003]), [
      1_000_000_000_000_000,
      Number('333333333333333.3333'),
    ])
    await chancery.ingest([nation('moving0', { national_score: 0.0001 })])
    const { total_score, average_score } = await read('/alliances/moving')
    assert.deepEqual([total_score, average_score], [-0.0001, 0])
  })

  test('order alliances, also below 0, and equal ones by id', async () => {
    await sumOf('order-b', [-3, 1])
    await sumOf('order-a', [-2])
    await sumOf('order-c', [-2.0001])
    const ranked = (
      await read<{ alliance: { id: string }; rank: number; total_score: number }[]>(
        '/rankings?board=alliances&limit=100',
      )
    ).filter(({ alliance: { id } }) => id.startsWith('order-'))
    const [first] = ranked
    assert.deepEqual(
      ranked.map(({ alliance: { id }, rank, total_score }) => [id, rank - (first?.rank ?? 0), total_score]),
      [
        ['order-a', 0, -2],
        ['order-b', 0, -2],
        ['order-c', 2, -2.0001],
      ],
    )
  })
})

test('nations are ordered and filtered by scores below 0, at the borders of the range too', async () => {
  const scores = { f1: -1e15, f2: -1e15, f3: -0.0001, f4: 0, f5: 0.0001, f6: 1e15 }
  await chancery.ingest([
    alliance('filtered'),
    ...Object.entries(scores).flatMap(([id, national_score]) => [
      nation(id, { national_score }),
      member(id, 'filtered'),
    ]),
  ])
  const select = async (query: string) =>
    (await read<{ id: string }[]>(`/nations?alliance_id=filtered${query}`)).map(({ id }) => id).join(' ')
  assert.equal(await select(''), 'f6 f5 f4 f3 f1 f2')
  assert.equal(await select('&min_score=-1000000000000000'), 'f6 f5 f4 f3 f1 f2')
  assert.equal(await select('&max_score=-1000000000000000'), 'f1 f2')
  assert.equal(await select('&min_score=-999999999999999'), 'f6 f5 f4 f3')
  assert.equal(await select('&min_score=-0.0001&max_score=-0'), 'f4 f3')
  assert.equal(await select('&min_score=1000000000000000'), 'f6')
  const { data } = await chancery.read<{ data: { rank: number; nation: { id: string } }[] }>(
    '/rankings?limit=100',
  )
  const [one, other] = ['f1', 'f2'].map(id => data.find(item => item.nation.id === id)?.rank)
  assert.equal(one, other, 'equal scores share a rank')
})

describe('a game with cents, and prices below a cent', () => {
  const profile = changed(({ currency }) => Object.assign(currency, { decimals: 2, price_decimals: 8 }))
  const game = useTestServer({}, { profile })
  const as_of = '2026-05-20T10:00:00Z'
  const ingest = (...facts: Fact[]) => game.ingest(facts, { waits: false })
  const price = (value: number, more: Data = {}) =>
    put('market_price', { resource: 'iron', price: value, as_of, ...more })
  const dataOf = async (path: string, key?: string) =>
    (await game.read<{ data: Data }>(path, key === undefined ? {} : { key })).data
  const rejectionOfFact = async (fact: Fact) => {
    const [outcome] = await game.send(
      `${JSON.stringify(fact)}\n${JSON.stringify({ op: 'commit', batch: `rejected-${Math.random()}` })}\n`,
      { check: false },
    )
    const { path, reason } = rejectionOf(outcome)
    return `${path} ${reason}`
  }

  test('names its decimals in /game, and its documents state them', async () => {
    const { currency } = await dataOf('/game')
    assert.deepEqual(currency, { key: 'gold', label: 'Gold', decimals: 2, price_decimals: 8 })
    const document = (await (await fetch(`${game.url}/openapi.json`)).json()) as {
      components: {
        schemas: Record<string, { properties: Record<string, Data & { properties?: Record<string, Data> }> }>
      }
    }
    const { MarketPrice, OwnNation, AllianceWithTreasury, EventDataMarketPriceMoved } =
      document.components.schemas
    const priced = { 'x-decimals': 8, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
    for (const schema of [
      ...['price', 'best_bid', 'best_ask', 'high_24h', 'low_24h'].map(name => MarketPrice?.properties[name]),
      ...['price', 'reference_price'].map(name => EventDataMarketPriceMoved?.properties[name]),
    ])
      assert.partialDeepStrictEqual(schema, priced)
    for (const schema of [
      MarketPrice?.properties.traded_value_24h,
      OwnNation?.properties.economy?.properties?.credits,
      AllianceWithTreasury?.properties.treasury?.properties?.credits,
    ])
      assert.partialDeepStrictEqual(schema, { ...priced, type: ['number', 'null'], 'x-decimals': 2 })
  })

  test('has prices that come back exactly, down to the last decimal', async () => {
    const shown = {
      best_bid: 0.00000001,
      best_ask: 9_999_999.999_999_99,
      high_24h: 9_007_199_254_740_991,
      low_24h: 0.1,
    }
    await ingest(price(0.00000001, { ...shown, traded_value_24h: 9_999_999_999_999.99 }))
    for (const path of ['/market/price?resource=iron', '/market/rankings']) {
      const { data } = await game.read<{ data: Data[] }>(path)
      assert.partialDeepStrictEqual(data[0], {
        price: 1e-8,
        ...shown,
        traded_value_24h: 9_999_999_999_999.99,
      })
    }
    const [stored] = await game.query<{ price: string }>(
      'select price::text from chancery_world.market_price',
    )
    assert.equal(stored?.price, '0.00000001')
    await ingest(remove('market_price', 'iron'))
  })

  test('has events with such prices, in digits in their summary', async () => {
    await ingest(price(0.00000001), price(0.00000003, { as_of: '2026-05-20T11:00:00Z' }))
    await ingest(price(9_007_199_254_740_991, { as_of: '2026-05-20T12:00:00Z' }))
    const { data } = await game.read<{ data: { summary: string; data: Data }[] }>('/events?type=market.*')
    assert.deepEqual(
      data
        .map(({ summary, data: { price, reference_price, change_percent } }) => [
          summary,
          price,
          reference_price,
          change_percent,
        ])
        .toReversed(),
      [
        ['The price of iron rose by 200 % to 0.00000003.', 3e-8, 1e-8, 200],
        [
          'The price of iron rose by 1000000000000000 % to 9007199254740991.',
          Number.MAX_SAFE_INTEGER,
          3e-8,
          1e15,
        ],
      ],
    )
    await ingest(remove('market_price', 'iron'))
  })

  test('has private money that comes back exactly', async () => {
    await ingest(
      nation('rich', { player: 'p_rich', economy: { credits: 9_999_999_999_999.99 } }),
      alliance('bank', { treasury: { credits: 0.01 } }),
      member('rich', 'bank', { rank: 'consul' }),
    )
    const { key } = await game.makeKey({ nation_id: 'rich' }, [
      'nation.read',
      'economy.read',
      'treasury.read',
    ])
    const moneyOf = async () => [
      ((await dataOf('/me/nation', key)).economy as Data).credits,
      ((await dataOf('/alliances/bank?include=treasury', key)).treasury as Data).credits,
    ]
    assert.deepEqual(await moneyOf(), [9_999_999_999_999.99, 0.01])
    await ingest(
      nation('rich', { economy: { credits: Number.MAX_SAFE_INTEGER } }),
      alliance('bank', { treasury: { credits: 1_250_000.5 } }),
    )
    assert.deepEqual(await moneyOf(), [Number.MAX_SAFE_INTEGER, 1_250_000.5])
  })

  test('rejects further decimals, and states how many are allowed', async () => {
    const gold = (credits: number) => nation('rich', { economy: { credits } })
    assert.equal(await rejectionOfFact(gold(0.001)), '/data/economy/credits must have at most 2 decimals')
    assert.equal(
      await rejectionOfFact(gold(10_000_000_000_000.01)),
      '/data/economy/credits must have at most 1 decimal: a number has at most 15 digits',
    )
    assert.equal(await rejectionOfFact(gold(-1)), '/data/economy/credits must be at least 0')
    assert.equal(await rejectionOfFact(price(0.000000001)), '/data/price must have at most 8 decimals')
    assert.equal(
      await rejectionOfFact(price(10_000_000.000_000_01)),
      '/data/price must have at most 7 decimals: a number has at most 15 digits',
    )
  })

  test('has money and prices of any digits', async () => {
    await ingest(nation('any', { player: 'p_any' }))
    const { key } = await game.makeKey({ nation_id: 'any' }, ['nation.read', 'economy.read'])
    await fc.assert(
      fc.asyncProperty(decimals(2), decimals(8), async (credits, value) => {
        await ingest(
          nation('any', { economy: { credits } }),
          price(value, { traded_value_24h: credits, best_bid: value }),
        )
        assert.deepEqual(((await dataOf('/me/nation', key)).economy as Data).credits, credits)
        const { data } = await game.read<{ data: Data[] }>('/market/price?resource=iron')
        assert.partialDeepStrictEqual(data[0], { price: value, best_bid: value, traded_value_24h: credits })
      }),
      { numRuns: randomRuns(100) },
    )
  })
})

describe('isExactDecimal', () => {
  test('accepts every number of up to 15 digits with so many decimals, and no number with more', () => {
    const places = fc.integer({ min: 0, max: 8 })
    fc.assert(
      fc.property(
        places.chain(most => fc.tuple(fc.constant(most), decimals(most, { isNegative: true }))),
        ([most, value]) => {
          assert.ok(isExactDecimal(value, most))
          assert.equal(toExactDecimal(value, most), value)
        },
      ),
    )
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 999_999 }), (most, digits) => {
        const value = Number(`${digits * 10 + 1}e-${most + 1}`)
        assert.ok(!isExactDecimal(value, most), `${value}`)
        assert.ok(isExactDecimal(toExactDecimal(value, most), most))
      }),
    )
  })

  test('rejects a number that has the digits of another one as a double', () => {
    for (const [value, most] of [
      [90_071_992_547_409.92, 2],
      [900_719_925_474.0992, 4],
      [90_071_992.547_409_92, 8],
    ] as const)
      assert.ok(!isExactDecimal(value, most), `${value}`)
    assert.ok(
      comesBackExactly('0.00000001') &&
        comesBackExactly('1e-8') &&
        comesBackExactly('-12.5000000000000000000'),
    )
    assert.ok(!comesBackExactly('90071992547409.91') && !comesBackExactly('9007199254740993'))
  })
})
