import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFindCaller } from '../../src/operator/authentication.ts'
import { generateOperatorToken, hashOperatorToken } from '../../src/operator/token-store.ts'
import type { Database } from '../../src/store/database.ts'
import { closeAfter } from '../support/close-after.ts'
import { withConnection } from '../support/database-url.ts'
import { startBehindProxy } from '../support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { makeToken, operateAs, statusAs } from './tokens.ts'

/** A server with a direct connection to its database, and one that connects through a proxy. */
async function startBoth(t: TestContext) {
  const home = closeAfter(await startTestServer(), t)
  return { home, ...(await startBehindProxy(t, home.databaseUrl)) }
}

const untilAccepted = (server: TestServer, ...tokens: string[]) =>
  until(async () => {
    const statuses = await Promise.all(tokens.map(token => statusAs(server.operatorUrl, token)))
    return statuses.every(status => status === 200)
  }, 'the tokens are accepted')

test('metrics are served during a database outage, to a recently valid token', async t => {
  const { home, server, proxy } = await startBoth(t)
  const [used, unused, facts] = [
    await makeToken(home, ['metrics']),
    await makeToken(home, ['metrics']),
    await makeToken(home, ['facts']),
  ]
  const metrics = (token: string) => operateAs(server.operatorUrl, token, 'GET', '/metrics')
  await untilAccepted(server, used.token, facts.token)
  await until(
    async () => /^chancery_refused_batches 0$/m.test(await (await metrics(used.token)).text()),
    'the database is counted',
  )
  proxy.cut()

  const response = await metrics(used.token)
  const text = await response.text()
  assert.equal(response.status, 200)
  assert.match(text, /^process_cpu_seconds_total /m)
  assert.doesNotMatch(text, /^chancery_(refused_batches|last_batch_age_seconds) /m)

  assert.equal((await metrics(facts.token)).status, 403, 'its roles are cached too')
  const unchecked = await metrics(unused.token)
  assert.equal(unchecked.status, 503, 'its validity cannot be checked')
  assert.ok(Number(unchecked.headers.get('retry-after')) > 0)
  assert.equal((await metrics(generateOperatorToken())).status, 503)
  assert.equal((await metrics('nonsense')).status, 401, 'it is rejected without a query')
  const status = await operateAs(server.operatorUrl, used.token, 'GET', '/status')
  assert.equal(status.status, 200)
  assertKnownWithoutDatabase(await status.json())
  for (const path of ['/refused', '/feeds/turns'])
    assert.equal(await statusAs(server.operatorUrl, facts.token, path), 503, path)
  assert.equal(await statusAs(server.operatorUrl, server.operatorToken, '/metrics'), 200)
})

/** Asserts that the status has no value that needs the database. */
function assertKnownWithoutDatabase(status: unknown): void {
  const { database_up, version, game, migration, ...rest } = status as Record<string, unknown>
  assert.equal(database_up, false)
  for (const known of [version, game, migration]) assert.ok(known)
  assert.deepEqual(
    // What waits for webhooks is counted every five seconds: the latest count may be given.
    Object.keys(rest).filter(member => !member.startsWith('webhook_')),
    ['profile_digest', 'streams_open', 'limits_shared'],
  )
}

test('the status does not wait for a hanging read or database', async t => {
  const { home, server, proxy } = await startBoth(t)
  const status = async () => {
    const response = await operateAs(server.operatorUrl, server.operatorToken, 'GET', '/status')
    assert.equal(response.status, 200)
    return response.json()
  }
  /** More of them than there are connections, and one that comes when it is known. */
  const assertKnownAtOnce = async () => {
    for (const read of await Promise.all(Array.from({ length: 12 }, status))) assertKnownWithoutDatabase(read)
    assertKnownWithoutDatabase(await status())
  }
  const isWhole = async () => {
    const { database_up, world_version } = (await status()) as Record<string, unknown>
    return database_up === true && typeof world_version === 'number'
  }
  await until(isWhole, 'the database responds')

  await withConnection(home.databaseUrl, async client => {
    await client.query('begin; lock table chancery_secret.feed in access exclusive mode')
    await assertKnownAtOnce()
    await client.query('rollback')
  })
  await until(isWhole, 'the read is done')

  proxy.pause()
  const feed = statusAs(server.operatorUrl, server.operatorToken, '/feeds/turns')
  await assertKnownAtOnce()
  proxy.restore()
  assert.equal(await feed, 503)
  await until(isWhole, 'the status is whole again')
})

test('an unresponsive database does not delay readers of metrics', async t => {
  const { home, server, proxy } = await startBoth(t)
  const { token } = await makeToken(home, ['metrics'])
  await untilAccepted(server, token)
  // It stays unresponsive: waiting for it would take until the test times out.
  proxy.pause()
  assert.equal(await statusAs(server.operatorUrl, token, '/metrics'), 200)
})

function unexpected(error: unknown): never {
  throw error
}

/** A database with one token, which can be unavailable. */
function oneToken(text: string, expiresAt: string | null = null) {
  const state = { isUnavailable: false, isRevoked: false, queries: 0 }
  const row = {
    id: 'tok_1',
    name: 'x',
    roles: ['metrics'],
    expires_at: expiresAt,
    is_use_old: false,
  }
  const db: Database = {
    rows: async () => [],
    async first<R>(statement: { values: unknown[] }) {
      state.queries += 1
      if (state.isUnavailable) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
      const isIt = hashOperatorToken(text).equals(statement.values[0] as Buffer)
      return (isIt && !state.isRevoked ? row : undefined) as R | undefined
    },
  }
  return { state, db }
}

test('a cached token is accepted for ten minutes, for status and metrics, and only while the database is unavailable', async () => {
  const text = generateOperatorToken()
  const { state, db } = oneToken(text)
  let nowMs = Date.parse('2026-05-27T18:00:00Z')
  const findCaller = createFindCaller({
    db,
    adminToken: 'the-token-of-the-configuration',
    onError: unexpected,
    now: () => nowMs,
  })
  const allowingCached = { allowsCached: true }
  assert.equal((await findCaller(text, allowingCached))?.name, 'x')
  state.isUnavailable = true
  assert.equal((await findCaller(text, allowingCached))?.name, 'x')
  await assert.rejects(findCaller(text, { allowsCached: false }), { code: 'ECONNREFUSED' })
  nowMs += 600_000
  assert.equal((await findCaller(text, allowingCached))?.name, 'x')
  nowMs += 1
  await assert.rejects(findCaller(text, allowingCached), { code: 'ECONNREFUSED' })

  state.isUnavailable = false
  assert.equal((await findCaller(text, allowingCached))?.name, 'x')
  state.isRevoked = true
  assert.equal(await findCaller(text, allowingCached), undefined, 'the database rejects it')
  state.isUnavailable = true
  await assert.rejects(
    findCaller(text, allowingCached),
    { code: 'ECONNREFUSED' },
    'a revoked token is evicted',
  )
})

test('a cached token that has expired is rejected', async () => {
  const text = generateOperatorToken()
  const { state, db } = oneToken(text, '2026-05-27T18:05:00Z')
  let nowMs = Date.parse('2026-05-27T18:00:00Z')
  const findCaller = createFindCaller({
    db,
    adminToken: 'admin-token',
    onError: unexpected,
    now: () => nowMs,
  })
  assert.ok(await findCaller(text, { allowsCached: true }))
  state.isUnavailable = true
  nowMs += 300_001
  await assert.rejects(findCaller(text, { allowsCached: true }))
})

test('the admin token and malformed tokens need no database', async () => {
  const { state, db } = oneToken(generateOperatorToken())
  const findCaller = createFindCaller({ db, adminToken: 'admin-token', onError: unexpected })
  assert.equal((await findCaller('admin-token', { allowsCached: false }))?.name, 'main')
  for (const text of ['main-tokem', 'cho_short', ''])
    assert.equal(await findCaller(text, { allowsCached: false }), undefined)
  assert.equal(state.queries, 0)
})
