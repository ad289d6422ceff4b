import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPulse } from '../../src/store/pulse.ts'
import { useTestDatabase } from '../support/fixture.ts'
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
