import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { createToken, pruneTokens } from '../../src/operator/token-store.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { createTestPools } from '../support/pools.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { type MadeToken, makeToken, operateAs, statusAs } from './tokens.ts'

/** Another process would do the same: it shares nothing with the first but the database. */
const chancery = closeAfter(await startTestServer())
const other = closeAfter(await startTestServer({}, { databaseUrl: chancery.databaseUrl }))

const operate = async <T = MadeToken>(method: string, path: string, body?: unknown) => {
  const response = await chancery.operate(method, path, body)
  return { status: response.status, body: (await response.json()) as T }
}
const list = async () => (await operate<{ data: MadeToken[] }>('GET', '/tokens')).body.data
const codeOf = (body: unknown) => (body as { error: { code: string } }).error.code

/** Moves times of a token into the past, as if it were made earlier. */
const age = (id: string, column: string, interval: string) =>
  query(
    chancery.databaseUrl,
    `update chancery_access.operator_token set ${column} = clock_timestamp() - interval '${interval}' where id = '${id}'`,
  )

test('a token is returned once, and stored as a hash', async () => {
  const { id, token } = await makeToken(chancery, ['facts'])
  assert.match(token, /^cho_[A-Za-z0-9_-]{43}$/)
  assert.equal(await statusAs(chancery.operatorUrl, token), 200)
  const listed = (await list()).find(each => each.id === id)
  assert.ok(listed && !('token' in listed))
  const rows = JSON.stringify(
    await query(chancery.databaseUrl, `select t::text as row from chancery_access.operator_token t`),
  )
  assert.ok(rows.includes(id) && !rows.includes(token.slice(4)))
})

test('a malformed token is rejected, however similar', async () => {
  const { token } = await makeToken(chancery, ['facts'])
  for (const wrong of [
    token.slice(0, -1),
    `${token}x`,
    token.toUpperCase(),
    token.replace('cho_', ''),
    `cho_${'A'.repeat(43)}`,
    'main',
  ])
    assert.equal(await statusAs(chancery.operatorUrl, wrong), 401, wrong)
})

test('names are unique among valid tokens, and main is reserved', async () => {
  const { id, name } = await makeToken(chancery, ['facts'], { name: 'game-server' })
  for (const taken of [name, 'main', 'Main']) {
    const { status, body } = await operate('POST', '/tokens', { name: taken, roles: ['facts'] })
    assert.deepEqual([status, codeOf(body)], [409, 'conflict'], taken)
  }
  assert.equal((await operate('POST', '/tokens', { name: 'main ', roles: ['facts'] })).status, 400)
  await operate('POST', `/tokens/${id}/revoke`)
  assert.equal((await operate('POST', '/tokens', { name, roles: ['facts'] })).status, 201)
})

test('of concurrent requests for a token of one name exactly one succeeds', async () => {
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => operate('POST', '/tokens', { name: 'crowded', roles: ['metrics'] })),
  )
  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)])
})

test('concurrent requests for a token of one name wait for each other', async t => {
  const pools = closeAfter(createTestPools({ connectionString: chancery.databaseUrl }), t)
  const wanted = { name: 'turns', roles: ['facts'], expiresAt: null } as const
  const make = () => pools.access.transaction(db => createToken(db, wanted))
  let second: ReturnType<typeof make> | undefined
  await pools.access.transaction(async db => {
    assert.ok(await createToken(db, wanted))
    second = make()
    await until(async () => {
      const [row] = await query<{ waiting: number }>(
        chancery.databaseUrl,
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return row?.waiting === 1
    }, 'the second waits')
  })
  assert.equal(await second, undefined)
})

test('the members of a new token are validated', async () => {
  for (const body of [
    {},
    { name: 'x' },
    { name: '', roles: ['facts'] },
    { name: 'x'.repeat(101), roles: ['facts'] },
    { name: 'x\ny', roles: ['facts'] },
    { name: 'x', roles: [] },
    { name: 'x', roles: ['everything'] },
    { name: 'x', roles: ['facts', 'facts'] },
    { name: 'x', roles: ['facts'], expires_at: '2020-01-01T00:00:00Z' },
    { name: 'x', roles: ['facts'], expires_at: 'soon' },
    { name: 'x', roles: ['facts'], token: 'cho_mine' },
  ])
    assert.equal((await operate('POST', '/tokens', body)).status, 400, JSON.stringify(body))
})

test('a token ends when it expires, on every process', async () => {
  const { id, token } = await makeToken(chancery, ['facts'], { expires_at: '2130-01-01T00:00:00Z' })
  assert.equal(await statusAs(other.operatorUrl, token), 200)
  await age(id, 'expires_at', '1 millisecond')
  for (const { operatorUrl } of [chancery, other]) assert.equal(await statusAs(operatorUrl, token), 401)
})

test('a revoked token is rejected by every process at once, and revoking again changes nothing', async () => {
  const { id, token } = await makeToken(chancery, ['facts'])
  assert.equal(await statusAs(other.operatorUrl, token), 200)
  const { body } = await operate('POST', `/tokens/${id}/revoke`)
  assert.ok(body.revoked_at)
  for (const { operatorUrl } of [chancery, other]) assert.equal(await statusAs(operatorUrl, token), 401)
  const again = await operate('POST', `/tokens/${id}/revoke`)
  assert.deepEqual([again.status, again.body.revoked_at], [200, body.revoked_at])
  assert.equal((await operate('POST', '/tokens/tok_none/revoke')).status, 404)
})

test('a rotated token works together with its successor for the overlap', async () => {
  const old = await makeToken(chancery, ['facts', 'identity'])
  const { status, body: next } = await operate('POST', `/tokens/${old.id}/rotate`, { overlap_hours: 2 })
  assert.equal(status, 201)
  assert.deepEqual([next.name, next.roles, next.expires_at], [old.name, old.roles, null])
  assert.notEqual(next.token, old.token)
  for (const { token } of [old, next]) assert.equal(await statusAs(other.operatorUrl, token), 200)
  const listed = (await list()).find(({ id }) => id === old.id)
  const left = Date.parse(String(listed?.expires_at)) - Date.now()
  assert.ok(left > 7_100_000 && left <= 7_200_000, String(left))

  await age(old.id, 'expires_at', '1 second')
  assert.equal(await statusAs(chancery.operatorUrl, old.token), 401)
  assert.equal(await statusAs(chancery.operatorUrl, next.token), 200)
})

test('the default overlap is a day, and with 0 the old token ends at once', async () => {
  const old = await makeToken(chancery, ['facts'])
  const { body: next } = await operate('POST', `/tokens/${old.id}/rotate`)
  const listed = (await list()).find(({ id }) => id === old.id)
  const left = Date.parse(String(listed?.expires_at)) - Date.now()
  assert.ok(left > 86_300_000 && left <= 86_400_000, String(left))

  const { body: last } = await operate('POST', `/tokens/${next.id}/rotate`, { overlap_hours: 0 })
  assert.equal(await statusAs(other.operatorUrl, next.token), 401)
  assert.equal(await statusAs(other.operatorUrl, last.token), 200)
  assert.ok((await list()).find(({ id }) => id === next.id)?.revoked_at, 'it is shown as revoked')
  assert.equal((await operate('POST', `/tokens/${last.id}/rotate`, { overlap_hours: 169 })).status, 400)
})

test('the overlap extends no token’s expiry', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const old = await makeToken(chancery, ['facts'], { expires_at: soon })
  const { body: next } = await operate('POST', `/tokens/${old.id}/rotate`, { overlap_hours: 24 })
  const listed = (await list()).find(({ id }) => id === old.id)
  assert.equal(Date.parse(String(listed?.expires_at)), Date.parse(soon))
  // The new one lives as long as the old one was made for.
  const lifetime = Date.parse(String(next.expires_at)) - Date.parse(next.created_at)
  assert.ok(Math.abs(lifetime - 3_600_000) < 5_000, String(lifetime))
  const later = await operate('POST', `/tokens/${next.id}/rotate`, { expires_at: null })
  assert.equal(later.body.expires_at, null)
})

test('a rotated or ended token cannot be rotated again', async () => {
  const old = await makeToken(chancery, ['facts'])
  const { body: next } = await operate('POST', `/tokens/${old.id}/rotate`)
  const twice = await operate('POST', `/tokens/${old.id}/rotate`)
  assert.equal(twice.status, 409)
  assert.ok(JSON.stringify(twice.body).includes(next.id))
  await operate('POST', `/tokens/${next.id}/revoke`)
  assert.equal((await operate('POST', `/tokens/${next.id}/rotate`)).status, 409)
  assert.equal((await operate('POST', '/tokens/tok_none/rotate')).status, 404)
})

test('the last use of a token is stored at most once a minute', async () => {
  const { id, token } = await makeToken(chancery, ['facts'])
  const lastUse = async () => (await list()).find(each => each.id === id)?.last_used_at
  assert.equal(await lastUse(), null)
  await statusAs(chancery.operatorUrl, token)
  await until(async () => typeof (await lastUse()) === 'string', 'the use is written down')
  const first = await lastUse()
  await statusAs(chancery.operatorUrl, token)
  await statusAs(other.operatorUrl, token)
  assert.equal(await lastUse(), first)
  await age(id, 'last_used_at', '61 seconds')
  const aged = await lastUse()
  await statusAs(other.operatorUrl, token)
  await until(async () => (await lastUse()) !== aged, 'the later use is written down')
})

/** Opens a stream of facts, which applies its first batch. */
async function openStream(url: string, token: string, batch: string) {
  const req = request(`${url}/facts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  req.on('error', () => end()).on('close', () => end())
  const outcomes = new Promise<AsyncIterator<string>>(resolve => {
    req.on('response', res => resolve(res.setEncoding('utf8').iterator()))
  })
  const commit = async (name: string) => {
    req.write(`{"op":"commit","batch":"${name}"}\n`)
    return String((await (await outcomes).next()).value)
  }
  assert.match(await commit(batch), /"applied"/)
  return { ended, commit, end: () => req.end() }
}

test('a stream of facts ends within a second of its token’s revocation on another process; one of the admin token stays', async () => {
  const { id, token } = await makeToken(chancery, ['facts'])
  const stream = await openStream(other.operatorUrl, token, 'of-a-token')
  const main = await openStream(other.operatorUrl, chancery.operatorToken, 'of-the-admin-token')
  // A request to the same process measures how busy the machine is.
  const calledAt = performance.now()
  assert.equal(await statusAs(other.operatorUrl, token), 200)
  const revokedAt = performance.now()
  await operate('POST', `/tokens/${id}/revoke`)
  await stream.ended
  const tookMs = performance.now() - revokedAt
  const callMs = revokedAt - calledAt
  assert.ok(tookMs < 1_000 + 20 * callMs, `${tookMs} ms, and ${callMs} ms for a call`)
  assert.match(await main.commit('of-the-admin-token-2'), /"applied"/)
  main.end()
})

test('tokens that ended a month ago are no longer listed', async () => {
  const [gone, kept, live] = [
    await makeToken(chancery, ['facts']),
    await makeToken(chancery, ['facts']),
    await makeToken(chancery, ['facts']),
  ]
  await age(gone.id, 'revoked_at', '31 days')
  await age(kept.id, 'expires_at', '29 days')
  const pools = createTestPools({ connectionString: chancery.databaseUrl })
  try {
    await pruneTokens(pools.access)
  } finally {
    await pools.close()
  }
  const ids = (await list()).map(({ id }) => id)
  assert.deepEqual(
    [gone, kept, live].map(({ id }) => ids.includes(id)),
    [false, true, true],
  )
})

test('no token may create a token with more roles than it has', async () => {
  const { token } = await makeToken(chancery, ['facts', 'identity', 'metrics'])
  const response = await operateAs(chancery.operatorUrl, token, 'POST', '/tokens', {
    name: 'own',
    roles: ['admin'],
  })
  assert.equal(response.status, 403)
})
