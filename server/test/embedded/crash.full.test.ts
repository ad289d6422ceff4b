import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { startEmbedded } from '../../src/store/embedded/embedded-server.ts'
import { isAlive } from '../../src/store/embedded/processes.ts'
import { hasReliableSyncfs } from '../../src/store/embedded/server-process.ts'
import { until } from '../support/until.ts'
import { isRoot, makeDataDir, postmasterPid, query, startAndKill, startQuickly } from './harness.ts'

/** Kills the server as a whole, so that its pid file stays behind. */
async function killServer(dataDir: string): Promise<void> {
  const pid = await postmasterPid(dataDir)
  process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(pid), 'it has ended')
}

/** Puts another process id where the pid file names the server's. */
function renumber(dataDir: string, pid: number): void {
  const path = join(dataDir, 'postgres', 'postmaster.pid')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\d+/, String(pid)))
}

test('a pid file that a dead server left is ignored', async () => {
  const dataDir = await makeDataDir()
  await startAndKill({ dataDir })
  await killServer(dataDir)
  const server = await startQuickly(dataDir)
  assert.equal(server.isAdopted, false)
  await server.close()
})

test('a pid file whose process id belongs to another program is ignored', async () => {
  const dataDir = await makeDataDir()
  await startAndKill({ dataDir })
  await killServer(dataDir)
  // With the server's own user: PostgreSQL itself rules out processes of other users.
  const owner = statSync(join(dataDir, 'postgres'))
  const unrelated = spawn('/bin/sleep', ['60'], isRoot ? { uid: owner.uid, gid: owner.gid } : {})
  after(() => unrelated.kill())
  await once(unrelated, 'spawn')
  assert.ok(unrelated.pid)
  renumber(dataDir, unrelated.pid)
  const server = await startQuickly(dataDir)
  assert.equal(server.isAdopted, false)
  assert.equal(isAlive(unrelated.pid), true)
  await server.close()
  assert.equal(isAlive(unrelated.pid), true)
})

test('a pid file whose process id belongs to the server of another data directory is ignored', async () => {
  const dataDir = await makeDataDir()
  const otherDir = await makeDataDir()
  const other = await startEmbedded({ dataDir: otherDir, fsync: false })
  await startAndKill({ dataDir })
  await killServer(dataDir)
  renumber(dataDir, await postmasterPid(otherDir))
  const server = await startQuickly(dataDir)
  assert.equal(server.isAdopted, false)
  assert.notEqual(server.connection.host, other.connection.host)
  await server.close()
  assert.deepEqual(await query(other.connection, 'select 1 as one'), [{ one: 1 }])
  await other.close()
})

test('after a killed postmaster its busy backends are ended, and committed rows are kept', async () => {
  const dataDir = await makeDataDir()
  // With fsync, as in production.
  const server = await startEmbedded({ dataDir })
  const gone = new Promise<string>(resolve => server.onExit(resolve))
  await query(server.connection, 'create table kept as select n from generate_series(1, 1000) n')
  const busy = new Client(server.connection)
  busy.on('error', () => {})
  await busy.connect()
  const { rows } = await busy.query<{ pid: number }>('select pg_backend_pid() as pid')
  const backEnd = rows[0]?.pid ?? 0
  busy.query('select sum(n) from generate_series(1, 1000000000000) n').catch(() => {})
  await until(async () => {
    const activity = `select from pg_stat_activity where pid = ${backEnd} and state = 'active'`
    return (await query(server.connection, activity)).length === 1
  }, 'the backend is busy')
  await killServer(dataDir)
  assert.match(await gone, /exited unexpectedly/)
  assert.equal(isAlive(backEnd), true, 'the backend is still busy')
  await server.close()

  const next = await startEmbedded({ dataDir })
  assert.equal(next.isAdopted, false)
  assert.equal(isAlive(backEnd), false)
  assert.deepEqual(await query(next.connection, 'select count(*)::int as kept from kept'), [{ kept: 1000 }])
  await next.close()
})

test('a start after a crash syncs the cluster at once, replays at most 1 GB, and is not disturbed by attempts to connect', async () => {
  const dataDir = await makeDataDir()
  await startAndKill({ dataDir, fsync: true })
  await killServer(dataDir)
  const log = join(dataDir, 'postgres.log')
  const before = readFileSync(log, 'utf8').length
  const startedAt = Date.now()
  const server = await startEmbedded({ dataDir })
  const tookMs = Date.now() - startedAt
  const attempts =
    readFileSync(log, 'utf8')
      .slice(before)
      .match(/FATAL: +the database system is/g) ?? []
  assert.ok(attempts.length <= 1 + tookMs / 250, `${attempts.length} attempts in ${tookMs} ms`)
  const [settings] = await query(
    server.connection,
    `select current_setting('recovery_init_sync_method') as sync,
            pg_size_bytes(current_setting('max_wal_size')) <= 1024 * 1048576 as is_bounded`,
  )
  assert.deepEqual(settings, { sync: hasReliableSyncfs() ? 'syncfs' : 'fsync', is_bounded: true })
  await server.close()
})

test('a listener that is added after the exit is called at once', async () => {
  const dataDir = await makeDataDir()
  const server = await startQuickly(dataDir)
  const first = new Promise(resolve => server.onExit(resolve))
  await killServer(dataDir)
  await first
  await new Promise(resolve => server.onExit(resolve))
  await server.close()
})

test('the crash of one backend does not end the server, and the lock is taken again', async () => {
  const dataDir = await makeDataDir()
  const server = await startQuickly(dataDir)
  server.onExit(() => assert.fail('the server has ended'))
  const victim = new Client(server.connection)
  victim.on('error', () => {})
  await victim.connect()
  const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid')
  const ended = new Promise(resolve => victim.once('end', resolve))
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
  await ended
  await until(async () => {
    const held = await query(server.connection, "select from pg_locks where locktype = 'advisory'").catch(
      () => [],
    )
    return held.length === 1
  }, 'the lock is held')
  await server.close()
})
