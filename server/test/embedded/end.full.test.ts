import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded, startOn } from '../../src/store/embedded/embedded-server.ts'
import { thisHost } from '../../src/store/embedded/host.ts'
import { isAlive, listProcesses } from '../../src/store/embedded/processes.ts'
import { until } from '../support/until.ts'
import { hasServer, makeDataDir, postmasterPid, query, startProcess } from './harness.ts'

const isWindows = process.platform === 'win32'

/** Starts a Chancery and kills it; its server, which would be stopped after that time. */
async function orphan(dataDir: string, orphanGraceSeconds: number): Promise<number> {
  const chancery = startProcess({ dataDir }, { orphanGraceSeconds })
  await chancery.said
  const pid = await postmasterPid(dataDir)
  chancery.child.kill('SIGKILL')
  await chancery.exited
  return pid
}

for (const endsBy of ['exit', 'throw'] as const) {
  test(`a process that ends without closing (${endsBy}) ends its server, which needs no recovery`, async () => {
    const dataDir = await makeDataDir()
    const chancery = startProcess({ dataDir }, { endsBy, orphanGraceSeconds: 600 })
    assert.equal((await chancery.said).refusal, undefined)
    await chancery.exited
    await until(async () => !(await hasServer(dataDir)), 'the server has ended')
    const server = await startEmbedded({ dataDir, fsync: false })
    assert.deepEqual([server.isNew, server.isAdopted], [false, false])
    await server.close()
    assert.doesNotMatch(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /not properly shut down/)
  })
}

test('a killed process ends its server after a while', { skip: isWindows }, async () => {
  const pid = await orphan(await makeDataDir(), 0)
  await until(() => !isAlive(pid), 'the server has ended')
})

test('a server that was adopted outlives the grace of the killed one, and ends with its new owner', {
  skip: isWindows,
}, async () => {
  const dataDir = await makeDataDir()
  const pid = await orphan(dataDir, 120)
  const watchdogs = async () =>
    ((await listProcesses()) ?? []).filter(({ command }) => command.includes(`-watchdog ${pid} `))
  const [first] = await watchdogs()
  assert.ok(first)
  const adopter = startProcess({ dataDir }, { orphanGraceSeconds: 0 })
  assert.equal((await adopter.said).isAdopted, true)
  const [second, ...more] = await watchdogs()
  assert.ok(second && second.pid !== first.pid && more.length === 0, 'one watchdog, of the adopter')
  assert.equal(isAlive(pid), true)
  adopter.child.kill('SIGKILL')
  await until(() => !isAlive(pid), 'the server has ended')
})

test('a server that is being stopped after the grace is waited for and started again', {
  skip: isWindows,
}, async () => {
  const dataDir = await makeDataDir()
  const pid = await orphan(dataDir, 120)
  process.kill(pid, 'SIGINT')
  const server = await startOn({ ...thisHost(), orphanGraceSeconds: 0 }, { dataDir, fsync: false })
  assert.deepEqual(await query(server.connection, 'select 1 as one'), [{ one: 1 }])
  await server.close()
})
