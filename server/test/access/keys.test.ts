import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { scopeNames } from '@chancery/contract'
import { assertError, readResponse } from '../http/responses.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { dump, query } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until, untilWithin } from '../support/until.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest(smallWorld())

const statusOf = async (server: TestServer, key: string) => (await server.get('/me/key', { key })).status
const revoke = (id: string) => chancery.operate('POST', `/keys/${id}/revoke`)

const untilRefused = (server: TestServer, key: string) =>
  untilWithin(
    1_000,
    async () => {
      const status = await statusOf(server, key)
      assert.ok(status === 200 || status === 401, String(status))
      return status === 401
    },
    'the key is refused',
  )

test('a key is shown once, and only its hash is stored', async () => {
  const response = await chancery.operate('POST', '/keys', { nation_id: 'n1', name: 'war-room bot' })
  const made = (await response.json()) as { id: string; key: string }
  assert.match(made.key, /^chk_[0-9A-Za-z]{38}$/)
  assert.equal(await statusOf(chancery, made.key), 200)

  const secret = made.key.slice(4)
  for (const path of ['/keys', '/keys?nation_id=n1', '/status', '/metrics']) {
    const text = await (await chancery.operate('GET', path)).text()
    assert.ok(!text.includes(secret), path)
  }
  const everything = await dump(chancery.databaseUrl)
  const hash = createHash('sha256').update(made.key).digest('hex')
  assert.ok(everything.includes(hash), 'the dump contains the hash')
  for (const part of [secret, secret.slice(0, 32), secret.slice(0, 16), secret.slice(-6)])
    assert.ok(!everything.includes(part))
})

test('a new key holds nation.read by default, and its creation returns what it is', async () => {
  const { id, key } = await chancery.makeKey({ nation_id: 'n1' })
  const { data } = await chancery.read<{ data: Record<string, unknown> }>('/me/key', { key })
  const { created_at, remaining, ...rest } = data
  assert.deepEqual(rest, {
    id,
    name: 'test',
    nation: { id: 'n1', nation_name: 'Valdoria' },
    scopes: ['nation.read'],
    limit: 1_000_000,
    expires_at: null,
    last_used_at: null,
  })
  assert.equal(remaining, 999_999)
  assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000)
})

test('the key of a player without a nation has no nation', async () => {
  const { key } = await chancery.makeKey({ player_id: 'author' }, scopeNames)
  const { data } = await chancery.read<{ data: { nation: null; scopes: string[] } }>('/me/key', { key })
  assert.equal(data.nation, null)
  assert.deepEqual(new Set(data.scopes), new Set(scopeNames))
  assertError(await readResponse(await chancery.get('/me/nation', { key })), 'not_found', 'no nation')
})

test('a revoked key cannot make the next request, and stays revoked', async () => {
  const { id, key } = await chancery.makeKey({ nation_id: 'n1' })
  const { key: other } = await chancery.makeKey({ nation_id: 'n1' })
  assert.equal(await statusOf(chancery, key), 200)
  const first = (await (await revoke(id)).json()) as { revoked_at: string }
  assert.equal(await statusOf(chancery, key), 401)
  assert.equal(await statusOf(chancery, other), 200, 'other keys are unaffected')
  const again = (await (await revoke(id)).json()) as { revoked_at: string }
  assert.equal(again.revoked_at, first.revoked_at)
  assert.equal((await chancery.operate('PUT', `/keys/${id}/limit`, { limit: 5 })).status, 200)
  assert.equal(await statusOf(chancery, key), 401)
})

test('requests in progress while a key is revoked do not restore it', async () => {
  const { id, key } = await chancery.makeKey({ nation_id: 'n1' })
  const calls = Array.from({ length: 100 }, () => statusOf(chancery, key))
  const [revoked] = await Promise.all([revoke(id), ...calls])
  assert.equal(revoked.status, 200)
  assert.equal(await statusOf(chancery, key), 401)
})

test('a revoked key is rejected within a second by another server', async t => {
  const other = closeAfter(await startTestServer({}, { databaseUrl: chancery.databaseUrl }), t)
  const { id, key } = await chancery.makeKey({ nation_id: 'n1' })
  assert.equal(await statusOf(other, key), 200)
  await revoke(id)
  await untilRefused(other, key)
})

test('a revoked key is rejected within a second by a server that gets no notification', async t => {
  const other = closeAfter(await startTestServer({}, { databaseUrl: chancery.databaseUrl }), t)
  const { id, key } = await chancery.makeKey({ nation_id: 'n1' })
  assert.equal(await statusOf(other, key), 200)
  // Every listener loses its connection, and with it the notification.
  const ended = await query<{ pid: number }>(
    chancery.databaseUrl,
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'chancery pulse' and datname = current_database()`,
  )
  assert.ok(ended.length >= 2)
  await revoke(id)
  await untilRefused(other, key)
})

test('a key with an expiry is invalid after it, also where it is cached', async () => {
  // On a busy machine a short-lived key may expire before it is read: then one with a longer life is created.
  let expires_at = ''
  let key = ''
  for (let lifeMs = 700, status = 401; status === 401; lifeMs *= 2) {
    expires_at = new Date(Date.now() + lifeMs).toISOString()
    const response = await chancery.operate('POST', '/keys', { nation_id: 'n1', name: 'brief', expires_at })
    // An expiry in the past is rejected.
    if (response.status !== 201) continue
    key = ((await response.json()) as { key: string }).key
    const read = await chancery.get('/me/key', { key })
    status = read.status
    if (status === 401) continue
    const { data } = (await read.json()) as { data: { expires_at: string } }
    assert.equal(Date.parse(data.expires_at), Date.parse(expires_at))
  }
  await until(async () => (await statusOf(chancery, key)) === 401, 'the key has expired')
  // By the database's clock, which is known to within the time of a response.
  assert.ok(Date.now() >= Date.parse(expires_at) - 100)
  assertError(await readResponse(await chancery.get('/game', { key })), 'invalid_api_key', 'expired')
})

test('the last use of a key is stored', async () => {
  const server = await startTestServer({}, { databaseUrl: chancery.databaseUrl })
  const { id, key } = await chancery.makeKey({ nation_id: 'n2' })
  assert.equal(await statusOf(server, key), 200)
  // Pending uses are written when the server closes.
  await server.close()
  const { data } = (await (await chancery.operate('GET', `/keys?player_id=${playerOf('n2')}`)).json()) as {
    data: { id: string; last_used_at: string | null }[]
  }
  const lastUsedAt = data.find(each => each.id === id)?.last_used_at
  assert.ok(lastUsedAt && Math.abs(Date.parse(lastUsedAt) - Date.now()) < 60_000)
})
