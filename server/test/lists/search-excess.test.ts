import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withConnection } from '../support/database-url.ts'
import { useTestServer } from '../support/fixture.ts'
import { untilStatus } from '../support/tcp-proxy.ts'

const chancery = useTestServer(
  {},
  {
    facts: [{ op: 'put', resource: 'alliance', data: { id: 'a1', name: 'Wandering Guard' } }],
    // Timeouts about as short as a real server's.
    timings: { databaseTimeoutFactor: 2, rankingPauseMs: 5 },
  },
)

/** More than there are connections, each different. */
const searches = 20

async function timed(path: string) {
  const startedMs = performance.now()
  const response = await chancery.get(path)
  const body = (await response.json()) as { error?: { code: string } }
  return { response, body, ms: performance.now() - startedMs }
}

test('searches beyond the concurrency limit are rejected soon, and do not delay other requests', () =>
  withConnection(chancery.databaseUrl, async client => {
    // Searches of alliances wait for the lock; requests that do not read alliances do not.
    await client.query('begin')
    await client.query('lock table chancery_world.alliance in access exclusive mode')
    let isOver = false
    const responses = Promise.all(
      Array.from({ length: searches }, (_, number) => timed(`/alliances?search=guard${number}`)),
    ).finally(() => {
      isOver = true
    })
    let others = 0
    while (!isOver) {
      const { response } = await timed(`/wars?limit=${1 + (others % 100)}`)
      // A busy machine may reject one.
      if (response.status === 200) others += 1
      else assert.equal(response.status, 503)
      // A loop without a pause would take the time that the rejections need.
      await sleep(20)
    }
    const rejected = await responses
    for (const { response, body } of rejected) {
      assert.equal(response.status, 503)
      assert.equal(body.error?.code, 'unavailable')
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
    }
    // Three run until the statement timeout, which is longer than the queue timeout of the others.
    const waited = rejected.map(({ ms }) => ms).sort((one, other) => one - other)
    const [median = 0, most = 0] = [waited[Math.floor(waited.length / 2)], waited.at(-1)]
    assert.ok(
      median < most * 0.75,
      `half of the searches waited ${median} ms or more, the longest ${most} ms`,
    )
    assert.ok(others >= 3, `only ${others} other requests succeeded meanwhile`)

    await client.query('rollback')
    await untilStatus(200, chancery, '/alliances?search=guard')
  }))
