import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type pg from 'pg'
import { type RunningServer, readConfig, startServer } from '../../src/index.ts'
import { ingestLock, roundLock } from '../../src/store/locks.ts'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { longTimeouts } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { call } from './call.ts'

const token = 'operator-token-of-a-test'

let database: TestDatabase
let dir: string
let server: RunningServer
before(async () => {
  database = await createTestDatabase()
  dir = await mkdtemp(join(tmpdir(), 'chancery-closing-'))
})
after(async () => {
  await rm(dir, { recursive: true, force: true })
  await database.drop()
})
beforeEach(async () => {
  server = await startServer(
    readConfig({
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_DATA_DIR: dir,
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: token,
      CHANCERY_DRAIN_SECONDS: '1',
      CHANCERY_LOG_LEVEL: 'silent',
    }),
    longTimeouts,
  )
})
afterEach(() => server.close())

const ingest = (batch: string, agent?: Agent) =>
  call(`${server.operatorUrl}/facts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': batch,
    },
    body: JSON.stringify({ facts: [nation('n1', { motto: batch })] }),
    ...(agent ? { agent } : {}),
  })

/** Locks a table during `work`, which can release the lock, and wait until a query waits for it. */
const whileHeld = (
  table: string,
  work: (
    releaseLock: () => Promise<void>,
    untilWaiting: (who: keyof typeof waiting) => Promise<void>,
  ) => Promise<void>,
) =>
  withConnection(database.url, async client => {
    await client.query('begin')
    await client.query(`lock table ${table} in access exclusive mode`)
    await work(
      async () => void (await client.query('commit')),
      who => until(() => isWaiting(client, who), `${who} waits for ${table}`),
    )
  })

/** The condition of a session that waits. A ranking round, which follows each start, reads the same tables. */
const holds = (lock: number) => `exists (
  select from pg_locks h where h.pid = a.pid and h.locktype = 'advisory' and h.objid = ${lock} and h.granted)`
const waiting = {
  request: `a.application_name = 'chancery chancery_public'`,
  batch: `${holds(ingestLock)} and not ${holds(roundLock)}`,
}

async function isWaiting(client: pg.Client, who: keyof typeof waiting): Promise<boolean> {
  // In a transaction the activity is read once.
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query(`
    select from pg_stat_activity a where a.datname = current_database() and ${waiting[who]}
      and exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'relation' and not l.granted)`)
  return rows.length > 0
}

const isRefused = (url: string) =>
  call(`${url}/healthz`).then(
    () => false,
    (error: { code?: string }) => error.code === 'ECONNREFUSED',
  )

test('while a process drains it reports so, serves requests, and sends Connection: close', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ready = () => call(`${server.publicUrl}/readyz`, { agent })
  await ingest('before')
  await until(async () => (await ready()).status === 200, 'it is ready')
  assert.equal((await ready()).headers.connection, 'keep-alive')
  const drained = server.drain().then(() => 'drained')
  const response = await ready()
  assert.deepEqual([response.status, response.headers.connection], [503, 'close'])
  const page = await call(`${server.publicUrl}/api/v1/nations/n1`, { agent })
  assert.deepEqual([page.status, page.headers.connection], [200, 'close'])
  const batch = await ingest('meanwhile', agent)
  assert.deepEqual([batch.status, batch.headers.connection], [200, 'close'])
  assert.equal(await drained, 'drained')
  assert.equal((await call(`${server.publicUrl}/healthz`)).status, 200, 'draining does not close it')
})

test('requests that were admitted before the process closes get responses: one in flight, and the first of a connection', async () => {
  await ingest('before')
  const { port, hostname } = new URL(server.publicUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  await whileHeld('chancery_world.nation', async (releaseLock, untilWaiting) => {
    const response = call(`${server.publicUrl}/api/v1/nations/n1`)
    await untilWaiting('request')
    const closed = server.close()
    await until(() => isRefused(server.publicUrl), 'new connections are refused')
    socket.write('GET /api/v1/game HTTP/1.1\r\nHost: x\r\n\r\n')
    const late = await text(socket)
    assert.match(late, /^HTTP\/1.1 200 OK\r\n/)
    assert.match(late, /\r\nconnection: close\r\n/i)
    await releaseLock()
    assert.equal((await response).status, 200)
    await closed
  })
})

test('a batch that is under way when the process closes is applied, and acknowledged', async () => {
  await whileHeld('chancery_world.nation', async (releaseLock, untilWaiting) => {
    const response = ingest('under-way')
    await untilWaiting('batch')
    const closed = server.close()
    await releaseLock()
    const { status, body } = await response
    assert.deepEqual([status, JSON.parse(body).status], [200, 'applied'])
    await closed
  })
})
