import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { lockDataDir } from '../../src/store/embedded/data-dir.ts'
import { startEmbedded } from '../../src/store/embedded/embedded-server.ts'
import { isAlive } from '../../src/store/embedded/processes.ts'
import { until } from '../support/until.ts'
import {
  assertRejected,
  makeDataDir,
  makeDir,
  postmasterPid,
  query,
  startAndKill,
  startProcess,
  startQuickly,
} from './harness.ts'

test('the running server of a killed Chancery is adopted, and stopped by its new owner', async () => {
  const dataDir = await makeDataDir()
  const { connection } = await startAndKill({ dataDir })
  await query(connection, 'create table kept as select 7 as number')
  const pid = await postmasterPid(dataDir)
  const server = await startQuickly(dataDir)
  assert.deepEqual([server.isAdopted, server.isNew], [true, false])
  assert.deepEqual(server.connection, connection)
  assert.equal(await postmasterPid(dataDir), pid)
  assert.deepEqual(await query(server.connection, 'select number from kept'), [{ number: 7 }])
  await server.close()
  assert.equal(isAlive(pid), false)
})

test('a survivor that runs without fsync is not adopted by a Chancery that wants it', async () => {
  const dataDir = await makeDataDir()
  await startAndKill({ dataDir, fsync: false })
  const pid = await postmasterPid(dataDir)
  const server = await startEmbedded({ dataDir, fsync: true })
  assert.equal(server.isAdopted, false)
  assert.equal(isAlive(pid), false)
  assert.deepEqual(await query(server.connection, 'show fsync'), [{ fsync: 'on' }])
  await server.close()
})

test('a second Chancery on the same data directory is refused while the first lives', async () => {
  const dataDir = await makeDataDir()
  const first = startProcess({ dataDir })
  const { connection } = await first.status
  await assertRejected(startQuickly(dataDir), /another process of the service uses/)
  assert.deepEqual(await query(connection, 'select 1 as one'), [{ one: 1 }], 'the first one is not disturbed')
  first.child.kill('SIGKILL')
  await first.exited
  const server = await startQuickly(dataDir)
  assert.equal(server.isAdopted, true)
  await server.close()
})

test('a second server in the same process is refused, and the first keeps its lock', async () => {
  const dataDir = await makeDataDir()
  const server = await startQuickly(dataDir)
  await assertRejected(startQuickly(dataDir), /another process of the service uses/)
  const { refusal: error } = await startProcess({ dataDir }).status
  assert.equal(error?.name, 'EmbeddedError')
  await server.close()
})

test('a survivor whose advisory lock is held is refused and left running', async () => {
  const dataDir = await makeDataDir()
  const { connection } = await startAndKill({ dataDir })
  const holder = new Client({ ...connection, database: 'postgres' })
  await holder.connect()
  // The backend of the killed process may need a moment to end.
  await holder.query("select pg_advisory_lock(x'43484e43'::int, 1)")
  await assertRejected(startQuickly(dataDir), /another process of the service uses/)
  assert.deepEqual((await holder.query('select 1 as one')).rows, [{ one: 1 }])
  await holder.end()
  const server = await startQuickly(dataDir)
  assert.equal(server.isAdopted, true)
  await server.close()
})

test('a second start does not disturb a first that is still creating the database', async () => {
  const dataDir = join(makeDir(), 'data')
  const first = startProcess({ dataDir })
  await until(
    () => existsSync(dataDir) && readdirSync(dataDir).some(name => name.includes('.new-')),
    'a new one is begun',
  )
  await assertRejected(startQuickly(dataDir), /another process of the service uses/)
  const status = await first.status
  assert.deepEqual([status.refusal, status.isNew], [undefined, true])
  first.child.stdin?.write('close\n')
  assert.deepEqual(await first.exited, [0, null])
})

test('the lock alone excludes other processes, also after a refusal in its own', async () => {
  const dataDir = makeDir()
  const lock = await lockDataDir(dataDir)
  await assertRejected(lockDataDir(dataDir), /another process of the service uses/)
  const { refusal: error } = await startProcess({ dataDir }).status
  assert.match(error?.message ?? '', /another process of the service uses/)
  assert.deepEqual(readdirSync(dataDir), ['postgres.lock'])
  lock.release()
  ;(await lockDataDir(dataDir)).release()
})

test('of two concurrent first starts one succeeds and the other is refused', async () => {
  const dataDir = join(makeDir(), 'data')
  const both = [startProcess({ dataDir }), startProcess({ dataDir })]
  const status = await Promise.all(both.map(chancery => chancery.status))
  const winner = status.find(({ refusal }) => !refusal)
  assert.equal(status.filter(({ refusal }) => refusal?.name === 'EmbeddedError').length, 1)
  assert.ok(winner?.isNew)
  assert.deepEqual(await query(winner.connection, 'select 1 as one'), [{ one: 1 }])
  // The refused one has ended by itself.
  both[status.indexOf(winner)]?.child.stdin?.write('close\n')
  await Promise.all(both.map(chancery => chancery.exited))
  const server = await startQuickly(dataDir)
  assert.deepEqual([server.isNew, server.isAdopted], [false, false])
  await server.close()
})
