import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPulse } from '../../src/store/pulse.ts'
import { databaseOf } from '../support/database-url.ts'
import { useTestDatabase } from '../support/fixture.ts'
import { pretendRestarts } from '../support/pretend-restart.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

const database = useTestDatabase()

test('a database that responds to other connections is busy, and one that responds to none is unresponsive', async t => {
  const proxy = await startTcpProxy(t, database.url)
  const unresponsiveAfterMs = 2_000
  const pulse = createPulse({
    target: { connectionString: proxy.url },
    unresponsiveAfterMs,
    trustedMs: 500,
    timeoutFactor: 40,
  })
  t.after(() => pulse.close())
  const changes: boolean[] = []
  pulse.onHealthChange(isUnresponsive => changes.push(isUnresponsive))
  await pulse.refresh()
  const others = setInterval(pulse.markAlive, 50)
  t.after(() => clearInterval(others))
  proxy.pause()
  const pausedAt = performance.now()
  await until(() => performance.now() - pausedAt > 1.5 * unresponsiveAfterMs, 'the pulse has waited long')
  assert.equal(pulse.current(), undefined, 'the last heartbeat is too old')
  assert.deepEqual(changes, [])
  clearInterval(others)
  await until(() => pulse.isUnresponsive(), 'it is unresponsive')
  proxy.restore()
  await until(() => !pulse.isUnresponsive(), 'it responds again')
  await until(() => pulse.current() !== undefined, 'the heartbeat is current')
  assert.deepEqual(changes, [true, false])
})

test('after another start of the server versions continue above all former ones', async t => {
  const restart = await pretendRestarts(database)
  const pulse = createPulse({ target: database.target, timeoutFactor: 40, intervalMs: 60_000 })
  t.after(() => pulse.close())
  await database.query('update chancery_world.pulse set world_version = 7')
  const first = await pulse.refresh()
  assert.equal(first.worldVersion, 7)
  // As a server that was promoted and lacks the last transactions.
  await restart('update chancery_world.pulse set world_version = 5')
  const second = await pulse.refresh()
  assert.deepEqual([second.worldVersion, second.worldVersionOffset], [8, 3])
  assert.equal(second.accessVersion, first.accessVersion + 1)
  await database.query('update chancery_world.pulse set world_version = 6')
  assert.equal((await pulse.refresh()).worldVersion, 9)
})

test('a database that accepts no writes is read, though its start cannot be recorded', async t => {
  const name = databaseOf(database.url)
  await database.query(`update chancery_access.pulse set server_started_at = null`)
  await database.query(`alter database ${name} set default_transaction_read_only = on`)
  const pulse = createPulse({ target: database.target, timeoutFactor: 40 })
  t.after(() => pulse.close())
  assert.ok((await pulse.refresh()).serverStartedAt)
})
