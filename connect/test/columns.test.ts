import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factResources } from '@chancery/contract'
import { useFixture, useTestDatabase } from '../../server/test/support/fixture.ts'
import { openViews } from '../src/game-database/open-views.ts'
import { ViewReader } from '../src/pull/view-reader.ts'
import { viewTemplates } from '../src/pull/view-templates.ts'
import { assertReadsTemplates, viewsOptions } from './fixture.ts'
import { createGame } from './game.ts'
import { contract } from './service-client.ts'

const database = useTestDatabase()
const game = useFixture(
  () => createGame(database.url, 'create schema chancery_out'),
  opened => opened.drop(),
)

/** The fact of a view with one row. */
async function factOf(
  select: string,
  resource: 'nation' | 'war' | 'treaty' | 'era' = 'nation',
): Promise<unknown> {
  await game.query(`create view chancery_out.${resource} as select ${select}`)
  const db = await openViews(game.url, viewsOptions)
  try {
    const reader = new ViewReader(db, contract, 'chancery_out')
    return await reader.inSnapshot(async () => {
      const view = await reader.read(resource)
      assert.ok(!('reason' in view), JSON.stringify(view))
      const [line = ''] = (await reader.putLines(view, [...view.hashes.keys()])).values()
      return JSON.parse(line).data
    })
  } finally {
    await db.close()
    await game.query(`drop view chancery_out.${resource}`)
  }
}

test('integers are ids as text, also beyond the safe integers', async () => {
  assert.deepEqual(
    await factOf("9007199254740993::bigint as id, 18014398509481985 as player, 'A' as nation_name"),
    {
      id: '9007199254740993',
      player: '18014398509481985',
      nation_name: 'A',
    },
  )
  assert.deepEqual(
    await factOf(`gen_random_uuid() is null as id, 1 as player`).catch((err: Error) => err.message),
    'chancery_out.nation: the column id is boolean and must be text: cast it in the view',
  )
})

test('numbers are numbers, and others stay text for the service to reject', async () => {
  assert.deepEqual(
    await factOf(
      '1 as id, 12.50::numeric(12, 2) as national_score, 0.25::real as land_area, 7::bigint as city_count, 9007199254740993 as "economy.credits"',
    ),
    {
      id: '1',
      national_score: 12.5,
      land_area: 0.25,
      city_count: 7,
      economy: { credits: '9007199254740993' },
    },
  )
  assert.deepEqual(
    await factOf(
      '1 as id, -12.50::numeric(30, 20) as national_score, 0.00000001::numeric as land_area, 999999999999999.04::numeric as "economy.credits"',
    ),
    { id: '1', national_score: -12.5, land_area: 1e-8, economy: { credits: '999999999999999.04' } },
  )
  assert.deepEqual(await factOf(`1 as id, 'NaN'::float8 as national_score`), {
    id: '1',
    national_score: 'NaN',
  })
})

test('times are written in UTC, to the microsecond, whatever the zone of the database', async () => {
  await game.query(`alter database ${new URL(game.url).pathname.slice(1)} set timezone = 'Asia/Kolkata'`)
  for (const [written, declared_at] of [
    ["timestamptz '2026-05-20 12:00:00.123456+02'", '2026-05-20T10:00:00.123456Z'],
    ["timestamp '2026-05-20 12:00:00'", '2026-05-20T12:00:00Z'],
    ["timestamp '2026-05-20 12:00:00'::timestamptz", '2026-05-20T12:00:00Z'],
    ["date '2026-05-20'", '2026-05-20T00:00:00Z'],
    ["text '2026-05-20T12:00:00.5+05:30'", '2026-05-20T06:30:00.5Z'],
    ["timestamptz 'infinity'", 'infinity'],
  ])
    assert.deepEqual(await factOf(`1 as id, ${written} as declared_at`, 'war'), { id: '1', declared_at })
})

test('text types are text, arrays arrays, and JSON stays unchanged', async () => {
  await game.query("create type mood as enum ('active', 'protected')")
  assert.deepEqual(
    await factOf(
      `'n_1'::char(8) as id, 'active'::mood as status, 'Va'::varchar as nation_name, 'x'::char(3) as motto`,
    ),
    {
      id: 'n_1',
      status: 'active',
      nation_name: 'Va',
      motto: 'x',
    },
  )
  assert.deepEqual(await factOf("5 as id, array[3, 7] as alliance_ids, 'non_aggression' as type", 'treaty'), {
    id: '5',
    alliance_ids: ['3', '7'],
    type: 'non_aggression',
  })
  assert.deepEqual(
    await factOf(
      `1 as id, '{"queue": [{"item": "tanks", "quantity": 4, "completes_at": null}]}'::jsonb as production, jsonb_build_object('nation_id', 1) is null as x`,
    ).catch((err: Error) => err.message.slice(0, 53)),
    'chancery_out.nation: the column x is not a field of a',
  )
  assert.deepEqual(
    await factOf(`1 as id, '{"nation_id": 42, "alliance_id": null}'::json as attacker`, 'war'),
    {
      id: '1',
      attacker: { nation_id: '42', alliance_id: null },
    },
  )
})

test('null is null, is omitted for a field that is not nullable, and an object with only null members is null', async () => {
  assert.deepEqual(
    await factOf(
      `1 as id, null::text as motto, null::text as nation_name, null::bigint as "economy.credits", null::int as "economy.resources.food",
       3 as "military.units.tanks", null::int as "military.units.ships", null::int as "military.readiness"`,
    ),
    { id: '1', motto: null, economy: null, military: { units: { tanks: 3 }, readiness: null } },
  )
})

for (const [what, select, message] of [
  [
    'a column that is not a field',
    '1 as id, 2 as gold',
    /^chancery_out\.nation: the column gold is not a field of a nation in the profile of \S+: it takes id, nation_name, /,
  ],
  [
    'a column that is not a member of its object',
    '1 as id, 2 as "economy.gold"',
    /^chancery_out\.nation: the column economy\.gold is not a field of economy .*: it takes credits, resources$/,
  ],
  [
    'a missing key',
    "'A' as nation_name",
    /^chancery_out\.nation: the column id is missing: it is the key of each nation$/,
  ],
  [
    'a column of a wrong type',
    "1 as id, 'x' || 'y' as national_score",
    /^chancery_out\.nation: the column national_score is text and must be a number: cast it in the view$/,
  ],
  [
    'two columns for one field',
    `1 as id, '{}'::jsonb as economy, 2 as "economy.credits"`,
    /^chancery_out\.nation: the columns economy and economy\.credits fill the same field: keep one$/,
  ],
] as const) {
  test(`${what} is one line that names view, column and what is allowed`, async () => {
    await assert.rejects(factOf(select), { name: 'ConnectError', message })
  })
}

test('the SQL templates run unchanged, and the puller accepts their views', async () => {
  const whole = await createGame(database.url, viewTemplates(contract, 'chancery_out', [...factResources]))
  const uncommented = await createGame(
    database.url,
    viewTemplates(contract, 'chancery_out', [...factResources]).replace(/^ {2}-- , null/gm, '  , null'),
  )
  try {
    for (const { url } of [whole, uncommented]) {
      const db = await openViews(url, viewsOptions)
      await assertReadsTemplates(db, 'chancery_out')
      await db.close()
    }
  } finally {
    await whole.drop()
    await uncommented.drop()
  }
})

test('a database without a view is reported, with the command to run', async () => {
  const empty = await createGame(database.url)
  const db = await openViews(empty.url, viewsOptions)
  try {
    const reader = new ViewReader(db, contract, 'chancery_out')
    await assert.rejects(reader.find(), /no view to read: create chancery_out\.nation .* chancery pull sql/)
  } finally {
    await db.close()
    await empty.drop()
  }
})

test('fields of a war that Chancery derives are commented out in its template', () => {
  const sql = viewTemplates(contract, 'chancery_out', ['war'])
  assert.match(sql, /^ {2}, null::text as "attacker\.nation_id"$/m)
  for (const member of ['nation_name', 'alliance_id', 'alliance_name'])
    assert.match(
      sql,
      new RegExp(`as it is when the war is declared\\.\\n {2}-- , null::text as "attacker\\.${member}"`),
    )
})
