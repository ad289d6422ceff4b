import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPulse } from '../../src/store/pulse.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('a database that answers others is busy and not silent, and one that answers nobody is silent', async t => {
  const proxy = await startTcpProxy(t, database.url)
  const silenceMs = 2_000
  const pulse = createPulse({
    target: { connectionString: proxy.url },
    unresponsiveAfterMs: silenceMs,
    trustedMs: 500,
    // Connections are waited for as long as a busy machine needs.
    timeoutFactor: 40,
  })
  t.after(() => pulse.close())
  const told: boolean[] = []
  pulse.onHealthChange(isSilent => told.push(isSilent))
  await pulse.refresh()
  const others = setInterval(pulse.markAlive, 50)
  t.after(() => clearInterval(others))
  proxy.silence()
  const silencedAt = performance.now()
  await until(() => performance.now() - silencedAt > 1.5 * silenceMs, 'the pulse has waited for long')
  assert.equal(pulse.current(), undefined, 'what it knew is too old to be trusted')
  assert.deepEqual(told, [])
  clearInterval(others)
  await until(() => pulse.isUnresponsive(), 'it is silent')
  proxy.restore()
  await until(() => !pulse.isUnresponsive(), 'it is heard again')
  await until(() => pulse.current() !== undefined, 'what it knows is young')
  assert.deepEqual(told, [true, false])
})
