import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { bases, type ErrorCode } from '@chancery/contract'
import { closeConnections, sendRequest, textOf } from '../disclosure/exchange.ts'
import { assertError, assertResponse, readResponse, remainingOf } from '../http/responses.ts'
import { smallWorld } from '../http/world.ts'
import { dump } from '../support/database-url.ts'
import { useTestServer } from '../support/fixture.ts'

const chancery = useTestServer({}, { facts: smallWorld() })
after(closeConnections)

const redeem = async (code: string, query = '', options: { key?: string; base?: string } = {}) =>
  readResponse(await chancery.get(`/discord/verify/${code}${query}`, options))

async function assertRejected(code: string, expected: ErrorCode, query = ''): Promise<void> {
  const response = await redeem(code, query)
  const message = assertError(response, expected, `${expected} ${query}`)
  assert.ok(!message.includes(code), 'an error does not repeat the code')
}

const hashOf = (code: string) => createHash('sha256').update(code).digest()

/** Ages one code and its nation in the database. */
async function age(code: string, interval: string): Promise<void> {
  const rows = await chancery.query(
    `with aged as (
       update chancery_access.verification_code set created_at = created_at - $2::interval,
         expires_at = expires_at - $2::interval, redeemed_at = redeemed_at - $2::interval
       where hash = $1 returning nation_id
     )
     update chancery_world.nation n set known_since = known_since - $2::interval
     from aged where n.id = aged.nation_id returning 1`,
    [hashOf(code), interval],
  )
  assert.equal(rows.length, 1)
}

test('a code returns its nation, in exactly the shape of the specification', async () => {
  const response = await redeem(await chancery.makeCode('n2'))
  assert.equal(response.status, 200)
  assertResponse(response, 'verified')
  assert.equal(
    response.body,
    JSON.stringify({
      data: {
        verified: true,
        nation: {
          id: 'n2',
          nation_name: 'Karsk',
          leader_name: 'Leader of Karsk',
          national_score: 1500,
        },
        alliance: {
          alliance_id: 'a1',
          rank: 'officer',
          alliances: { name: 'Northern Pact', tag: 'NP' },
        },
      },
    }),
  )
})

test('a nation without an alliance has alliance null, and so has an applicant', async () => {
  for (const nation of ['n7', 'n4']) {
    const { data } = await chancery.read<{ data: { alliance: unknown } }>(
      `/discord/verify/${await chancery.makeCode(nation)}`,
    )
    assert.equal(data.alliance, null)
  }
})

test('a code returns the state when it is redeemed, not when it was made', async () => {
  const code = await chancery.makeCode('n6')
  await chancery.ingest(
    [
      { op: 'put', resource: 'nation', data: { id: 'n6', nation_name: 'Ulmen Reborn' } },
      { op: 'delete', resource: 'alliance_member', id: 'n6' },
    ],
    { waits: false },
  )
  const { data } = await chancery.read<{ data: { nation: { nation_name: string }; alliance: unknown } }>(
    `/discord/verify/${code}`,
  )
  assert.deepEqual([data.nation.nation_name, data.alliance], ['Ulmen Reborn', null])
})

test('a code has 10 characters, and is valid for ten minutes', async () => {
  const before = Date.now()
  const response = await chancery.operate('POST', '/codes', { nation_id: 'n1' })
  const body = (await response.json()) as { code: string; expires_at: string }
  assert.equal(response.status, 201)
  assert.deepEqual(Object.keys(body), ['code', 'expires_at'])
  assert.match(body.code, /^[23456789ABCDEFGHJKMNPQRSTVWXYZ]{10}$/)
  const lifetimeMs = Date.parse(body.expires_at) - before
  assert.ok(lifetimeMs >= 599_000 && lifetimeMs <= 660_000, `${lifetimeMs} ms`)
})

test('a code is redeemed once, on either base and in either case', async () => {
  for (const [first, second] of [
    [bases.canonical, bases.mirror],
    [bases.mirror, bases.canonical],
  ]) {
    const code = await chancery.makeCode('n1')
    assert.equal((await redeem(code.toLowerCase(), '', { base: first ?? '' })).status, 200)
    assertError(await redeem(code, '', { base: second ?? '' }), 'verification_code_used', 'again')
    await assertRejected(code.toLowerCase(), 'verification_code_used')
  }
})

test('a code is redeemed with a blank or a dash in it, once in all spellings', async () => {
  const spellings = [
    (code: string) => `${code.slice(0, 5)}%20${code.slice(5)}`,
    (code: string) => `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase(),
    (code: string) => `%20${code}%0A`,
  ]
  for (const spell of spellings) {
    const code = await chancery.makeCode('n1')
    assert.equal((await redeem(spell(code))).status, 200, spell('K7PWM3XQ9T'))
    for (const again of [code, ...spellings.map(each => each(code))])
      assertError(await redeem(again), 'verification_code_used', again)
  }
})

test('each spelling of a wrong code counts against the rate limit', async () => {
  const { key } = await chancery.makeKey({ player_id: 'guesser' }, undefined, { limit: 3 })
  for (const code of ['ABCDE-FGHJK', 'ABCDE%20FGHJK', 'abcdefghjk'])
    assertError(await redeem(code, '', { key }), 'verification_code_unknown', code)
  assertError(await redeem('ABCDEFGHJK', '', { key }), 'rate_limited', 'the fourth')
})

test('a code that was never made is unknown, of whatever form', async () => {
  for (const code of `ABCDEFGHJK SHORT ABCDEFGHJKM ABCDEFGHI0 ABCDE%20GHJK %C5%BFBCDEFGHJK '%3B--`.split(' '))
    assertError(await redeem(code), 'verification_code_unknown', code)
})

test('a code expires after ten minutes, not before', async () => {
  const young = await chancery.makeCode('n1')
  await age(young, '9 minutes 55 seconds')
  assert.equal((await redeem(young)).status, 200)
  const old = await chancery.makeCode('n1')
  await age(old, '10 minutes')
  await assertRejected(old, 'verification_code_expired')
  await assertRejected(old, 'verification_code_expired')
})

test('a used code stays used, and is kept for 30 days', async () => {
  const used = await chancery.makeCode('n1')
  assert.equal((await redeem(used)).status, 200)
  await age(used, '29 days 23 hours')
  await assertRejected(used, 'verification_code_used')
  await age(used, '2 hours')
  await assertRejected(used, 'verification_code_unknown')
  const expired = await chancery.makeCode('n1')
  await age(expired, '29 days 23 hours')
  await assertRejected(expired, 'verification_code_expired')
  await age(expired, '2 hours')
  await assertRejected(expired, 'verification_code_unknown')
})

test('a code of a deleted nation is unknown, used or not, also when another takes its id', async () => {
  const found = { op: 'put', resource: 'nation', data: { id: 'n9', nation_name: 'Brief' } }
  await chancery.ingest([found], { waits: false })
  const [live, used] = [await chancery.makeCode('n9'), await chancery.makeCode('n9')]
  assert.equal((await redeem(used)).status, 200)
  await chancery.ingest([{ op: 'delete', resource: 'nation', id: 'n9' }], { waits: false })
  for (const code of [live, used]) await assertRejected(code, 'verification_code_unknown')
  await chancery.ingest([found], { waits: false })
  for (const code of [live, used]) await assertRejected(code, 'verification_code_unknown')
  assert.equal((await redeem(await chancery.makeCode('n9'))).status, 200)
})

const lead = (id: string, player: string | null) =>
  chancery.ingest([{ op: 'put', resource: 'nation', data: { id, nation_name: `Nation ${id}`, player } }], {
    waits: false,
  })

test('a code is unknown after its player has lost the nation', async () => {
  await lead('n10', 'before')
  const code = await chancery.makeCode('n10')
  for (const player of ['later', null]) {
    await lead('n10', player)
    await assertRejected(code, 'verification_code_unknown')
  }
  await lead('n10', 'before')
  assert.equal((await redeem(code)).status, 200)
})

test('a used or expired code has the same response under every leader of the nation', async () => {
  await lead('n11', 'before')
  const spent: { code: string; query: string }[] = []
  for (const account of [undefined, 'user:42']) {
    const [used, expired] = [await chancery.makeCode('n11', account), await chancery.makeCode('n11', account)]
    assert.equal((await redeem(used, account ? `?for=${account}` : '')).status, 200)
    await age(expired, '10 minutes')
    for (const code of [used, expired])
      for (const query of ['', '?for=user:42', '?for=user:43']) spent.push({ code, query })
  }
  const responses = async () => {
    const all = []
    for (const { code, query } of spent)
      all.push(textOf(await sendRequest(chancery.url, `${bases.canonical}/discord/verify/${code}${query}`)))
    return all
  }
  const before = await responses()
  assert.deepEqual(
    before.map(response => response.slice(0, 3)),
    [...Array(6).fill('410'), '404', '410', '404', '404', '410', '404'],
  )
  for (const player of ['later', null, 'before']) {
    await lead('n11', player)
    assert.deepEqual(await responses(), before, `led by ${player}`)
  }
})

test('a bound code is redeemed by its account only, and stays valid after the attempts of others', async () => {
  const code = await chancery.makeCode('n1', 'user:42')
  for (const query of ['', '?for=', '?for=user:43', '?for=USER:42', '?for=user:42%20', '?for=user%3A421'])
    await assertRejected(code, 'verification_code_unknown', query)
  assertError(await redeem(code, '?for=user:42&for=user:42'), 'invalid_parameter', 'given only once')
  assert.equal((await redeem(code, '?for=user%3A42')).status, 200)
  await assertRejected(code, 'verification_code_used', '?for=user:42')
  await assertRejected(code, 'verification_code_unknown', '?for=user:43')
  await assertRejected(code, 'verification_code_unknown')
})

test('an expired bound code is not revealed to other accounts', async () => {
  const code = await chancery.makeCode('n1', 'user:42')
  await age(code, '11 minutes')
  await assertRejected(code, 'verification_code_unknown')
  await assertRejected(code, 'verification_code_expired', '?for=user:42')
})

test('an unbound code is redeemed for any account', async () => {
  assert.equal((await redeem(await chancery.makeCode('n1'), '?for=user:42')).status, 200)
})

test('a nation has ten active codes at most; used and expired ones make room', async () => {
  const issue = () => chancery.operate('POST', '/codes', { nation_id: 'n5' })
  const made = await Promise.all(Array.from({ length: 25 }, issue))
  assert.deepEqual(made.map(({ status }) => status).sort(), [...Array(10).fill(201), ...Array(15).fill(400)])
  const codes = await Promise.all(
    made
      .filter(({ status }) => status === 201)
      .map(async each => ((await each.json()) as { code: string }).code),
  )
  const refused = await issue()
  assert.equal(refused.status, 400)
  assert.match(await refused.text(), /10 active codes/)

  const [one = '', another = ''] = codes
  assert.equal((await redeem(one)).status, 200)
  assert.deepEqual([(await issue()).status, (await issue()).status], [201, 400])
  await age(another, '10 minutes')
  assert.deepEqual([(await issue()).status, (await issue()).status], [201, 400])
  assert.equal(
    (await chancery.operate('POST', '/codes', { nation_id: 'n6' })).status,
    201,
    'others have their own',
  )
})

test('active codes of a former leader do not count for the next one', async () => {
  await lead('n12', 'before')
  const former = await Promise.all(Array.from({ length: 10 }, () => chancery.makeCode('n12')))
  const issue = async () => (await chancery.operate('POST', '/codes', { nation_id: 'n12' })).status
  assert.equal(await issue(), 400)
  for (const player of ['later', null]) {
    await lead('n12', player)
    assert.deepEqual(await Promise.all(Array.from({ length: 11 }, issue)).then(all => all.sort()), [
      ...Array(10).fill(201),
      400,
    ])
    for (const code of former) await assertRejected(code, 'verification_code_unknown')
  }
  await lead('n12', 'before')
  assert.equal(await issue(), 400, 'their own active codes count again')
})

test('redeeming with a key counts against the key, without one against the address', async () => {
  const { key } = await chancery.makeKey({ player_id: 'bot' }, undefined, { limit: 7 })
  const response = await redeem(await chancery.makeCode('n1'), '', { key })
  assert.deepEqual(
    [response.status, response.headers['x-ratelimit-limit'], remainingOf(response)],
    [200, '7', 6],
  )
  const anonymous = await redeem('ABCDEFGHJK')
  assert.equal(anonymous.headers['x-ratelimit-limit'], '1000000')
})

test('of a code only its hash is stored', async () => {
  const codes = [await chancery.makeCode('n1'), await chancery.makeCode('n1', 'user:42')]
  assert.equal((await redeem(codes[0] ?? '')).status, 200)
  const everything = await dump(chancery.databaseUrl)
  for (const code of codes) {
    assert.ok(everything.includes(hashOf(code).toString('hex')), 'the dump contains the hash')
    assert.ok(!everything.includes(code) && !everything.includes(code.toLowerCase()))
  }
})
