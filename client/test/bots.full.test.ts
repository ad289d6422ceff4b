import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../../server/test/ingest/facts.ts'
import { runBots } from './support/bots.ts'
import { serveDemoWorld } from './support/demo-world.ts'

const served = serveDemoWorld()

test('busy bots get no 429 after their first minute, and most of their reads are served from the cache', async () => {
  const options = { url: served().url, bots: 3, minutes: 3, readsPerMinute: 240, limit: 120 }
  const onMinute = (minute: number) => served().ingest([nation(`minute${minute}`)], { waits: false })
  const report = await runBots({ ...options, onMinute })
  const { reads, failed, refused, fromCache } = report
  assert.ok(reads > 1_500, `${reads} reads`)
  assert.equal(failed, 0)
  assert.deepEqual(refused.slice(1).filter(Boolean), [], refused.join(' '))
  assert.ok(fromCache > 0.5, `${fromCache}`)

  // The same bots without a client's care run into the wall minute by minute.
  const careless = await runBots({ ...options, minutes: 2, isClientUsed: false })
  assert.ok((careless.refused[1] ?? 0) > 180, careless.refused.join(' '))
})
