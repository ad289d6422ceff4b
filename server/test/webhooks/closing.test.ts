import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { sql } from '../../src/store/database.ts'
import { nation } from '../ingest/facts.ts'
import { listen } from '../support/listen.ts'
import { until } from '../support/until.ts'
import { failWith, openDeliveryFixture, respond } from './delivery-fixture.ts'

test('a response received by a busy process within its grace period is recorded', async t => {
  const fixture = await openDeliveryFixture()
  t.after(() => fixture.close())
  const server = createServer()
  const port = await listen(server)
  const socket = connect(port, '127.0.0.1')
  const [peer] = await once(server, 'connection')
  t.after(() => {
    socket.destroy()
    server.close()
  })

  await fixture.addEndpoint('hook.example.com')
  fixture.respondWith('hook.example.com', (_message, signal) => {
    return new Promise(resolve => {
      socket.once('data', () => resolve(respond(200)))
      signal?.addEventListener('abort', () => resolve(failWith('stopped')))
    })
  })
  const graceMs = 12_345
  const grace = Promise.withResolvers<() => void>()
  const { setTimeout } = globalThis
  t.mock.method(globalThis, 'setTimeout', (...given: Parameters<typeof setTimeout>) => {
    const [run, ms] = given
    if (ms === graceMs) grace.resolve(run)
    return setTimeout(...given)
  })

  const worker = fixture.deliver({ graceMs })
  await fixture.ingest([nation('n1')])
  await until(() => fixture.eventsAt('hook.example.com').length === 1, 'the message is sent')
  const closed = worker.close()
  const endGrace = await grace.promise
  // The process is busy until after the grace period: its timers run next, and only then the response can be read.
  setTimeout(endGrace, 1)
  peer.write('response')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  await closed
  const deliveries = await fixture.pools.outbound.rows(
    sql`select state from chancery_outbound.delivery where seq is not null`,
  )
  assert.deepEqual(deliveries, [{ state: 'delivered' }])
})
