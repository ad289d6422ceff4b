import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createPool, type DatabasePool, isUnavailable, sql } from '../../src/store/database.ts'
import { isQueryTimeout } from '../../src/store/database-errors.ts'
import type { DatabaseHealth } from '../../src/store/guarded-pool.ts'
import { useTestDatabase } from '../support/fixture.ts'
import { listen } from '../support/listen.ts'
import { until } from '../support/until.ts'

const database = useTestDatabase()

/** A pool whose health signal the test sets. */
function openPool(t: TestContext, options: { connectionsMax?: number; graceMs?: number } = {}) {
  let isUnresponsive = false
  const listeners = new Set<(isUnresponsive: boolean) => void>()
  const health: DatabaseHealth = {
    isUnresponsive: () => isUnresponsive,
    markAlive: () => undefined,
    onHealthChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onServerChange: () => () => undefined,
  }
  const pool = createPool({ target: database.target, connectionsMax: 1, health, ...options })
  t.after(() => pool.close())
  return {
    pool,
    setUnresponsive(is: boolean) {
      isUnresponsive = is
      for (const listener of listeners) listener(is)
    },
  }
}

const forever = sql`select pg_sleep(60)`
const backend = async (pool: DatabasePool) =>
  (await pool.first<{ pid: number }>(sql`select pg_backend_pid() as pid`))?.pid

test('when the database stops responding, waiting queries fail, and new ones get no connection', async t => {
  const { pool, setUnresponsive } = openPool(t)
  const before = await backend(pool)
  const queries = [pool.rows(forever), pool.transaction(db => db.rows(forever)), pool.rows(sql`select 1`)]
  setUnresponsive(true)
  for (const query of [...queries, pool.rows(sql`select 1`)]) await assert.rejects(query, isUnavailable)
  setUnresponsive(false)
  assert.notEqual(await backend(pool), before, 'the old connection may be dead')
})

test('a query that has failed while it waited is not executed', async t => {
  const { pool, setUnresponsive } = openPool(t)
  await pool.rows(sql`create table public.done ()`)
  const held = pool.rows(forever)
  const waiting = pool.rows(sql`insert into public.done default values`)
  setUnresponsive(true)
  setUnresponsive(false)
  await assert.rejects(held, isUnavailable)
  await assert.rejects(waiting, isUnavailable)
  assert.deepEqual(await pool.rows(sql`select from public.done`), [])
})

test('work in progress gets the grace period', async t => {
  const { pool, setUnresponsive } = openPool(t, { graceMs: 60_000 })
  const other = createPool({ target: database.target, connectionsMax: 2 })
  t.after(() => other.close())
  const { promise: mayFinish, resolve: finish } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const holder = other.transaction(async db => {
    await db.rows(sql`select pg_advisory_xact_lock(1)`)
    held()
    await mayFinish
  })
  await isHeld
  const slow = pool.first<{ done: number }>(sql`select 1 as done from pg_advisory_xact_lock(1)`)
  await until(async () => {
    const waiting = await other.rows(sql`select from pg_locks 
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`)
    return waiting.length === 1
  }, 'it is in progress')
  setUnresponsive(true)
  await assert.rejects(pool.rows(sql`select 1`), isUnavailable)
  finish()
  await holder
  assert.equal((await slow)?.done, 1)
})

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

const greeting = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))])

/** Accepts a login and terminates the connection in the same packet. */
function greetAndEnd(socket: Socket): void {
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'
  socket.on('error', () => undefined)
  socket.once('data', () => socket.end(Buffer.concat([greeting, message('E', Buffer.from(fields))])))
}

test('a connection that is ended as soon as it is open fails its work, and not the process', async t => {
  const port = await listen(createServer(greetAndEnd), t)
  const target = { host: '127.0.0.1', port, user: 'any', database: 'none' }
  const pool = createPool({ target, connectionsMax: 1 })
  t.after(() => pool.close())
  await assert.rejects(pool.rows(sql`select 1`), isUnavailable)
  await assert.rejects(
    pool.transaction(db => db.rows(sql`select 1`)),
    isUnavailable,
  )
})

test('a statement without a result fails after its timeout, and its connection is not used again', async t => {
  const sockets: Socket[] = []
  const unresponsive = createServer(socket => {
    sockets.push(socket)
    socket.on('error', () => undefined).once('data', () => socket.write(greeting))
  })
  const target = { host: '127.0.0.1', port: await listen(unresponsive, t), user: 'any', database: 'none' }
  const options = { target, connectionsMax: 3, statementTimeoutMs: 50 }
  const [plain, verifying] = [createPool(options), createPool({ ...options, role: 'reader' })]
  t.after(() => Promise.all([plain.close(), verifying.close()]))
  const statement = sql`select 1`
  const pending = [
    plain.rows(statement),
    plain.transaction(db => db.rows(statement)),
    plain.connection(db => db.rows(statement)),
    verifying.rows(statement),
  ]
  await Promise.all(
    pending.map(each => assert.rejects(each, error => isUnavailable(error) && isQueryTimeout(error))),
  )
  assert.equal(sockets.length, 4)
  await until(() => sockets.every(socket => socket.closed), 'all connections are closed')
})
