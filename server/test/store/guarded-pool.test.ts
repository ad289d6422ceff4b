import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { createPool, type DatabasePool, isUnavailable, sql } from '../../src/store/database.ts'
import type { DatabaseHealth } from '../../src/store/guarded-pool.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** A pool that is told by the test whether the database responds. */
function openPool(options: { connectionsMax?: number; graceMs?: number } = {}) {
  let isUnresponsive = false
  const listeners = new Set<(isUnresponsive: boolean) => void>()
  const health: DatabaseHealth = {
    isUnresponsive: () => isUnresponsive,
    markAlive: () => undefined,
    onHealthChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const pool = createPool({ target: database.target, connectionsMax: 1, health, ...options })
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

test('when the database falls silent nobody waits for an answer or for a connection, and nobody is lent one', async t => {
  const { pool, setUnresponsive } = openPool()
  t.after(() => pool.close())
  const before = await backend(pool)
  const asked = [pool.rows(forever), pool.transaction(db => db.rows(forever)), pool.rows(sql`select 1`)]
  setUnresponsive(true)
  for (const answer of [...asked, pool.rows(sql`select 1`)]) await assert.rejects(answer, isUnavailable)
  setUnresponsive(false)
  assert.notEqual(await backend(pool), before, 'it may be dead without a word')
})

test('what nobody waits for any more is not done', async t => {
  const { pool, setUnresponsive } = openPool()
  t.after(() => pool.close())
  await pool.rows(sql`create table public.done ()`)
  const held = pool.rows(forever)
  const waiting = pool.rows(sql`insert into public.done default values`)
  setUnresponsive(true)
  setUnresponsive(false)
  await assert.rejects(held, isUnavailable)
  await assert.rejects(waiting, isUnavailable)
  assert.deepEqual(await pool.rows(sql`select from public.done`), [])
})

test('work under way is given the time that it is promised', async t => {
  const { pool, setUnresponsive } = openPool({ graceMs: 60_000 })
  t.after(() => pool.close())
  const other = createPool({ target: database.target, connectionsMax: 2 })
  t.after(() => other.close())
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const holder = other.transaction(async db => {
    await db.rows(sql`select pg_advisory_xact_lock(1)`)
    held()
    await mayGoOn
  })
  await isHeld
  const slow = pool.first<{ done: number }>(sql`select 1 as done from pg_advisory_xact_lock(1)`)
  await until(async () => {
    const waiting = await other.rows(sql`select from pg_locks 
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`)
    return waiting.length === 1
  }, 'it is under way')
  setUnresponsive(true)
  await assert.rejects(pool.rows(sql`select 1`), isUnavailable)
  goOn()
  await holder
  assert.equal((await slow)?.done, 1)
})

/** What a server says to one that signs in: it may, and it may ask; and in the same breath, that it is put out. */
function greetAndEnd(socket: Socket): void {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'
  socket.on('error', () => undefined)
  socket.once('data', () => {
    const ready = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]
    socket.end(Buffer.concat([...ready, message('E', Buffer.from(fields))]))
  })
}

test('a connection that is ended as soon as it is open fails its work, and not the process', async t => {
  const server = createServer(greetAndEnd).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  const target = { host: '127.0.0.1', port: address.port, user: 'nobody', database: 'none' }
  const pool = createPool({ target, connectionsMax: 1 })
  t.after(() => pool.close())
  await assert.rejects(pool.rows(sql`select 1`), isUnavailable)
  await assert.rejects(
    pool.transaction(db => db.rows(sql`select 1`)),
    isUnavailable,
  )
})
