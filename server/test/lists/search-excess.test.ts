import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { untilStatus } from '../support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let chancery: TestServer
let client: pg.Client
before(async () => {
  // Whoever gets no turn, or hangs, is given up as soon as by a real server, or a little later.
  chancery = await startTestServer({}, { timings: { databaseTimeoutFactor: 2, rankingPauseMs: 5 } })
  await chancery.ingest([{ op: 'put', resource: 'alliance', data: { id: 'a1', name: 'Wandering Guard' } }])
  client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
})
after(async () => {
  await client.end()
  await chancery.close()
})

/** More than have a connection, and each asked as nobody else asks. */
const searches = 60

async function timed(path: string) {
  const startedMs = performance.now()
  const response = await chancery.get(path)
  const body = (await response.json()) as { error?: { code: string } }
  return { response, body, ms: performance.now() - startedMs }
}

test('searches beyond the concurrency limit are rejected soon, and do not delay other requests', async () => {
  // Searches of alliances stand still, as if each took long; whatever does not read alliances goes on.
  await client.query('begin')
  await client.query('lock table chancery_world.alliance in access exclusive mode')
  let isOver = false
  const asked = Promise.all(
    Array.from({ length: searches }, (_, number) => timed(`/alliances?search=guard${number}`)),
  ).finally(() => {
    isOver = true
  })
  let others = 0
  while (!isOver) {
    const { response } = await timed(`/wars?limit=${1 + (others % 100)}`)
    // A busy machine may put one off.
    if (response.status === 200) others += 1
    else assert.equal(response.status, 503)
  }
  const answers = await asked
  for (const { response, body } of answers) {
    assert.equal(response.status, 503)
    assert.equal(body.error?.code, 'unavailable')
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
  }
  // Three are worked on until their own limit, which is longer than a turn is waited for; everybody else hears long before that there is no turn.
  const waited = answers.map(({ ms }) => ms).sort((one, other) => one - other)
  const [median = 0, most = 0] = [waited[Math.floor(waited.length / 2)], waited.at(-1)]
  assert.ok(median < most * 0.75, `half of the searches waited ${median} ms or more, the longest ${most} ms`)
  assert.ok(others >= 3, `only ${others} other calls were answered beside them`)

  await client.query('rollback')
  await untilStatus(200, chancery, '/alliances?search=guard')
})
