import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startOn } from '../../src/store/embedded/embedded-server.ts'
import { thisHost } from '../../src/store/embedded/host.ts'
import { isAlive, listProcesses } from '../../src/store/embedded/processes.ts'
import { until } from '../support/until.ts'
import { hasServer, makeDataDir, postmasterPid, query, startProcess, startQuickly } from './harness.ts'

const isWindows = process.platform === 'win32'

/** Starts a Chancery and kills it. Returns the process id of its server, which stops after the grace period. */
async function orphan(dataDir: string, orphanGraceSeconds: number): Promise<number> {
  const chancery = startProcess({ dataDir }, { orphanGraceSeconds })
  await chancery.status
  const pid = await postmasterPid(dataDir)
  chancery.child.kill('SIGKILL')
  await chancery.exited
  return pid
}

for (const endsBy of ['exit', 'throw'] as const) {
  test(`a process that ends without closing (${endsBy}) ends its server, which needs no recovery`, async () => {
    const dataDir = await makeDataDir()
    const chancery = startProcess({ dataDir }, { endsBy, orphanGraceSeconds: 600 })
    assert.equal((await chancery.status).refusal, undefined)
    await chancery.exited
    await until(async () => !(await hasServer(dataDir)), 'the server has ended')
    const server = await startQuickly(dataDir)
    assert.deepEqual([server.isNew, server.isAdopted], [false, false])
    await server.close()
    assert.doesNotMatch(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /not properly shut down/)
  })
}

test('the server of a killed process ends after the grace period', { skip: isWindows }, async () => {
  const pid = await orphan(await makeDataDir(), 0)
  await until(() => !isAlive(pid), 'the server has ended')
})

test('an adopted server outlives the grace period of its killed owner, and ends with the new one', {
  skip: isWindows,
}, async () => {
  const dataDir = await makeDataDir()
  const pid = await orphan(dataDir, 120)
  const watchdogs = async () =>
    ((await listProcesses()) ?? []).filter(({ command }) => command.includes(`-watchdog ${pid} `))
  const [first] = await watchdogs()
  assert.ok(first)
  const adopter = startProcess({ dataDir }, { orphanGraceSeconds: 0 })
  assert.equal((await adopter.status).isAdopted, true)
  await until(async () => {
    const [second, ...more] = await watchdogs()
    return second !== undefined && second.pid !== first.pid && more.length === 0
  }, 'one watchdog is left, of the adopter')
  assert.equal(isAlive(pid), true)
  adopter.child.kill('SIGKILL')
  await until(() => !isAlive(pid), 'the server has ended')
})

test('a server that is stopping after the grace period is waited for and started again', {
  skip: isWindows,
}, async () => {
  const dataDir = await makeDataDir()
  const pid = await orphan(dataDir, 120)
  process.kill(pid, 'SIGINT')
  const server = await startOn({ ...thisHost(), orphanGraceSeconds: 0 }, { dataDir, fsync: false })
  assert.deepEqual(await query(server.connection, 'select 1 as one'), [{ one: 1 }])
  await server.close()
})
