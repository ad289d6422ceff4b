import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded, startOn } from '../../src/store/embedded/embedded-server.ts'
import { thisHost } from '../../src/store/embedded/host.ts'
import { isAlive } from '../../src/store/embedded/processes.ts'
import { until } from '../support/until.ts'
import { makeDataDir, makeDir, postmasterPid, query, startProcess, startQuickly } from './harness.ts'

test('a first start creates the database, a later one finds the committed rows', async t => {
  const dataDir = join(makeDir(), 'data')
  const began = performance.now()
  const first = await startEmbedded({ dataDir })
  const firstMs = performance.now() - began
  assert.deepEqual([first.isNew, first.isAdopted, first.connection.database], [true, false, 'chancery'])
  await query(first.connection, 'create table kept as select 7 as number')
  await first.close()

  const beganAgain = performance.now()
  const second = await startEmbedded({ dataDir })
  const laterMs = performance.now() - beganAgain
  assert.deepEqual([second.isNew, second.isAdopted], [false, false])
  assert.deepEqual(await query(second.connection, 'select number from kept'), [{ number: 7 }])
  await second.close()
  t.diagnostic(`first start ${firstMs.toFixed()} ms, later start ${laterMs.toFixed()} ms`)
  // The times depend on the machine; that the later start is faster does not.
  assert.ok(laterMs < firstMs, 'a later start does not make the database again')
})

test('the server is reached through a private socket only and compares bytes', async () => {
  const dataDir = await makeDataDir()
  const server = await startEmbedded({ dataDir, fsync: false, maxConnections: 20 })
  const socketDir = statSync(server.connection.host)
  assert.equal(socketDir.mode & 0o777, 0o700)
  const [settings] = await query(
    server.connection,
    `select current_setting('listen_addresses') as addresses, current_setting('TimeZone') as zone,
            current_setting('fsync') as fsync, current_setting('jit') as jit,
            current_setting('max_connections')::int >= 20 as is_enough,
            pg_size_bytes(current_setting('shared_buffers')) between 256 * 1048576 and 2048::bigint * 1048576 as has_buffers,
            pg_encoding_to_char(encoding) as encoding, datcollate, datlocprovider, datlocale
     from pg_database where datname = 'chancery'`,
  )
  assert.deepEqual(settings, {
    addresses: '',
    zone: 'UTC',
    fsync: 'off',
    jit: 'off',
    is_enough: true,
    has_buffers: true,
    encoding: 'UTF8',
    datcollate: 'C',
    datlocprovider: 'b',
    datlocale: 'C.UTF-8',
  })
  await server.close()
  assert.equal(existsSync(server.connection.host), false, 'the socket directory goes with the server')
})

test('closing leaves no process and no lock, however often it is called', async () => {
  const dataDir = await makeDataDir()
  const server = await startQuickly(dataDir)
  const pid = await postmasterPid(dataDir)
  server.onExit(() => assert.fail('closing is not an unexpected end'))
  await Promise.all([server.close(), server.close()])
  assert.equal(isAlive(pid), false)
  await (await startQuickly(dataDir)).close()
})

test('a data directory may be deeper than a socket path', async () => {
  const dataDir = join(makeDir(), 'deep-'.repeat(20), 'deeper-'.repeat(20))
  const server = await startQuickly(dataDir)
  assert.deepEqual(await query(server.connection, 'select 1 as one'), [{ one: 1 }])
  await server.close()
})

test('the server does not hold the process open', async () => {
  const chancery = startProcess({ dataDir: await makeDataDir() }, { endsBy: 'exit' })
  assert.equal((await chancery.status).refusal, undefined)
  assert.deepEqual(await chancery.exited, [0, null])
})

test('Ctrl-C ends the processes of the terminal, not the server', {
  skip: process.platform === 'win32',
}, async () => {
  const dataDir = await makeDataDir()
  const chancery = startProcess({ dataDir }, { isDetached: true })
  await chancery.status
  process.kill(-chancery.pid, 'SIGINT')
  await chancery.exited
  const server = await startQuickly(dataDir)
  assert.equal(server.isAdopted, true)
  await server.close()
})

test('a log over 10 MB is truncated', async () => {
  const dataDir = await makeDataDir()
  const log = join(dataDir, 'postgres.log')
  assert.equal(statSync(log).mode & 0o777, 0o600)
  truncateSync(log, 11 * 1024 * 1024)
  await (await startQuickly(dataDir)).close()
  assert.ok(statSync(log).size < 100_000)
})

test('a kill in the middle of the first start leaves no incomplete cluster', async () => {
  const dataDir = join(makeDir(), 'data')
  const halfMade = () => existsSync(dataDir) && readdirSync(dataDir).filter(name => name.includes('.new-'))
  const chancery = startProcess({ dataDir })
  await until(() => {
    const [name] = halfMade() || []
    return name !== undefined && existsSync(join(dataDir, name, 'PG_VERSION'))
  }, 'it is half made')
  chancery.child.kill('SIGKILL')
  await chancery.exited
  assert.equal(existsSync(join(dataDir, 'postgres')), false)
  const server = await startQuickly(dataDir)
  assert.equal(server.isNew, true)
  assert.deepEqual(halfMade(), [])
  await server.close()
})

test('without Unix sockets a password protects the loopback', async () => {
  const dataDir = join(makeDir(), 'data')
  const host = { ...thisHost(), hasUnixSockets: false }
  const server = await startOn(host, { dataDir, fsync: false })
  const { connection } = server
  assert.equal(connection.host, '127.0.0.1')
  assert.equal(statSync(join(dataDir, 'postgres.password')).mode & 0o777, 0o600)
  assert.deepEqual(await query(connection, 'select 1 as one'), [{ one: 1 }])
  await assert.rejects(query({ ...connection, password: 'guessed' }, 'select 1'), { code: '28P01' })
  await server.close()
  const again = await startOn(host, { dataDir, fsync: false })
  assert.equal(again.connection.password, connection.password)
  await again.close()
})
