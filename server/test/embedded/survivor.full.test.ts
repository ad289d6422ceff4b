import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { lockDataDir } from '../../src/store/embedded/data-dir.ts'
import { startEmbedded } from '../../src/store/embedded/embedded-server.ts'
import { isAlive } from '../../src/store/embedded/processes.ts'
import { until } from '../support/until.ts'
import { makeDataDir, makeDir, postmasterPid, query, refusal, startAndKill, startProcess } from './harness.ts'

test('the server of a killed Chancery is adopted as it runs, and stopped by its new owner', async () => {
  const dataDir = await makeDataDir()
  const { connection } = await startAndKill({ dataDir })
  await query(connection, 'create table kept as select 7 as number')
  const pid = await postmasterPid(dataDir)
  const server = await startEmbedded({ dataDir, fsync: false })
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
  const { connection } = await first.said
  await assert.rejects(
    startEmbedded({ dataDir, fsync: false }),
    refusal(/another Chancery is already running/),
  )
  assert.deepEqual(await query(connection, 'select 1 as one'), [{ one: 1 }], 'the first one is not disturbed')
  first.child.kill('SIGKILL')
  const server = await startEmbedded({ dataDir, fsync: false })
  assert.equal(server.isAdopted, true)
  await server.close()
})

test('a second server in the same process is refused, and the first keeps its lock', async () => {
  const dataDir = await makeDataDir()
  const server = await startEmbedded({ dataDir, fsync: false })
  await assert.rejects(
    startEmbedded({ dataDir, fsync: false }),
    refusal(/another Chancery is already running/),
  )
  const { refusal: told } = await startProcess({ dataDir }).said
  assert.equal(told?.name, 'EmbeddedError')
  await server.close()
})

test('a survivor whose advisory lock is held is refused and left running', async () => {
  const dataDir = await makeDataDir()
  const { connection } = await startAndKill({ dataDir })
  const holder = new Client({ ...connection, database: 'postgres' })
  await holder.connect()
  // The killed one's back end may need a moment to go.
  await holder.query("select pg_advisory_lock(x'43484e43'::int, 1)")
  await assert.rejects(
    startEmbedded({ dataDir, fsync: false }),
    refusal(/another Chancery is already running/),
  )
  assert.deepEqual((await holder.query('select 1 as one')).rows, [{ one: 1 }])
  await holder.end()
  const server = await startEmbedded({ dataDir, fsync: false })
  assert.equal(server.isAdopted, true)
  await server.close()
})

test('a second start leaves the first alone that is still making the database', async () => {
  const dataDir = join(makeDir(), 'data')
  const first = startProcess({ dataDir })
  await until(
    () => existsSync(dataDir) && readdirSync(dataDir).some(name => name.includes('.new-')),
    'a new one is begun',
  )
  await assert.rejects(
    startEmbedded({ dataDir, fsync: false }),
    refusal(/another Chancery is already running/),
  )
  const said = await first.said
  assert.deepEqual([said.refusal, said.isNew], [undefined, true])
  first.child.stdin?.write('close\n')
  assert.deepEqual(await first.exited, [0, null])
})

test('the lock alone keeps out other processes, also after a refusal in its own', async () => {
  const dataDir = makeDir()
  const lock = await lockDataDir(dataDir)
  await assert.rejects(lockDataDir(dataDir), refusal(/another Chancery is already running/))
  const { refusal: told } = await startProcess({ dataDir }).said
  assert.match(told?.message ?? '', /another Chancery is already running/)
  assert.deepEqual(readdirSync(dataDir), ['postgres.lock'])
  lock.release()
  ;(await lockDataDir(dataDir)).release()
})

test('of two first starts at once one wins and the other is refused', async () => {
  const dataDir = join(makeDir(), 'data')
  const both = [startProcess({ dataDir }), startProcess({ dataDir })]
  const said = await Promise.all(both.map(chancery => chancery.said))
  const winner = said.find(answer => !answer.refusal)
  assert.equal(said.filter(answer => answer.refusal?.name === 'EmbeddedError').length, 1)
  assert.ok(winner?.isNew)
  assert.deepEqual(await query(winner.connection, 'select 1 as one'), [{ one: 1 }])
  // The refused one has ended by itself.
  both[said.indexOf(winner)]?.child.stdin?.write('close\n')
  await Promise.all(both.map(chancery => chancery.exited))
  const server = await startEmbedded({ dataDir, fsync: false })
  assert.deepEqual([server.isNew, server.isAdopted], [false, false])
  await server.close()
})
