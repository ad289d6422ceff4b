import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../../server/test/ingest/facts.ts'
import { runBots } from './support/bots.ts'
import { useDemoWorld } from './support/demo-world.ts'

const served = useDemoWorld()

test('busy bots get no 429 after their first minute, and most of their reads are served from the cache', async () => {
  const options = { url: served.url, bots: 3, minutes: 3, readsPerMinute: 240, limit: 120 }
  const onMinute = (minute: number) => served.ingest([nation(`minute${minute}`)], { waits: false })
  const report = await runBots({ ...options, onMinute })
  const { reads, failed, refused, fromCache } = report
  assert.ok(reads > 1_500, `${reads} reads`)
  assert.equal(failed, 0)
  assert.deepEqual(refused.slice(1).filter(Boolean), [], refused.join(' '))
  assert.ok(fromCache > 0.5, `${fromCache}`)

  // Without the client's rate limiter, the same bots get 429 every minute.
  const unlimited = await runBots({ ...options, minutes: 2, isClientUsed: false })
  assert.ok((unlimited.refused[1] ?? 0) > 180, unlimited.refused.join(' '))
})
