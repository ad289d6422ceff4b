import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { startServerProcess } from '../support/server-process.ts'
import { isLong } from '../support/tier.ts'
import { allowedMs, until } from '../support/until.ts'
import { assertServedDuring } from './support/regular-client.ts'
import { drip, openSockets, type Sockets } from './support/sockets.ts'

const count = isLong ? 1_000 : 200

const connectionTimings = { headMs: 1_000, requestMs: 2_000, stalledMs: 2_000, idleMs: 10_000, checkMs: 100 }
const server = closeAfter(await startServerProcess({}, { timings: { connectionTimings } }))
const facts = Array.from({ length: 100 }, (_, index) => nation(`n${index}`, { motto: 'x'.repeat(200) }))
const ingested = await server.operate('POST', '/facts', { facts }, { 'idempotency-key': 'world' })
assert.equal(ingested.status, 200, await ingested.text())
await until(
  async () => (await (await fetch(`${server.url}/api/v1/nations?limit=100`)).text()).length > 40_000,
  'the list has every nation',
)

/** The server ends all connections. */
async function assertEnded(sockets: Sockets): Promise<void> {
  await until(() => sockets.ended() === count, `all ${count} connections are ended`, 120_000)
}

test(`${count} callers who send headers slowly get 408 and are disconnected, and delay no caller`, async t => {
  // Only the time limit for headers ends the connections here.
  const server = await startServerProcess(
    {},
    { timings: { connectionTimings: { headMs: 1_000, checkMs: 100, requestMs: 120_000 } } },
  )
  t.after(() => server.close())
  await assertServedDuring(t, server.url, async () => {
    const sockets = await openSockets(server.url, {
      count,
      text: 'GET /api/v1/game HTTP/1.1\r\nHost: x\r\n',
    })
    drip(sockets, 'X-A: b\r\n', 250)
    await assertEnded(sockets)
    for (const text of sockets.texts.values()) assert.match(text, /^HTTP\/1\.1 408 /)
  })
})

test(`${count} callers who send a body slowly are disconnected, on any route`, async t => {
  const heads = ['GET /api/v1/game', 'POST /developers/api/sessions', 'POST /api/v1/game']
  await assertServedDuring(t, server.url, async () => {
    for (const head of heads) {
      const text = `${head} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{`
      const sockets = await openSockets(server.url, { count, text })
      drip(sockets, ' ', 250)
      await assertEnded(sockets)
    }
  })
})

test(`${count} callers who request large responses and read nothing are disconnected, and use little memory`, async t => {
  const before = await server.usage()
  const files = server.openFiles()
  const text = 'GET /api/v1/nations?limit=100 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30)
  let most = 0
  await assertServedDuring(t, server.url, async () => {
    const sockets = await openSockets(server.url, { count, text, reads: false })
    most = (await server.usage()).usedBytes
    // A client that reads nothing does not notice the end, so the server's files are counted.
    await until(() => server.openFiles() < files + 10, 'the server has closed the connections', 120_000)
    sockets.destroy()
  })
  const megabytes = (most - before.usedBytes) / 1e6
  t.diagnostic(`${megabytes.toFixed(1)} MB for ${count} readers of ${30 * 45} KB each`)
  assert.ok(megabytes < count / 10, `${megabytes} MB`)
})

test('callers who repeatedly request the largest file and read nothing use little memory', async t => {
  const server = await startServerProcess()
  t.after(() => server.close())
  const file = '/docs/'
  const headers = { 'accept-encoding': 'identity' }
  const { length } = await (await fetch(server.url + file, { headers })).bytes()
  const before = await server.usage()
  const text = `GET ${file} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(33)
  const sockets = await openSockets(server.url, { count: 8, text, reads: false })
  // Its response comes after theirs were started.
  await fetch(`${server.url}/healthz`)
  const megabytes = ((await server.usage()).usedBytes - before.usedBytes) / 1e6
  sockets.destroy()
  t.diagnostic(`${megabytes.toFixed(1)} MB for ${8 * 33} times ${length / 1e6} MB`)
  assert.ok(megabytes < 40, `${megabytes} MB`)
})

test('the operator API accepts a slow stream of facts, but not without a token', async t => {
  const post = (token: string) =>
    `POST /facts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 9000\r\n\r\n`
  await assertServedDuring(t, server.url, async () => {
    const authorized = await openSockets(server.operatorUrl, { count: 20, text: post(server.operatorToken) })
    drip(authorized, '\n', 250)
    const unauthorized = await openSockets(server.operatorUrl, { count, text: post('none') })
    drip(unauthorized, '\n', 250)
    await assertEnded(unauthorized)
    for (const response of unauthorized.texts.values()) assert.match(response, /^HTTP\/1\.1 401 /)
    const requestedAt = performance.now()
    await fetch(`${server.url}/healthz`)
    const startedAt = performance.now()
    const ingested = await server.operate(
      'POST',
      '/facts',
      { facts: [nation('n0')] },
      { 'idempotency-key': 'between' },
    )
    assert.equal(ingested.status, 200)
    assert.ok(performance.now() - startedAt < allowedMs(2_000, startedAt - requestedAt))
    assert.equal(authorized.ended(), 0)
    authorized.destroy()
  })
})

const isInstalled = spawnSync('slowhttptest', ['-h']).error === undefined
const skip = !isLong
  ? 'takes half a minute: npm run test:faults runs it'
  : isInstalled
    ? false
    : 'slowhttptest is not installed'

for (const [name, args] of [
  ['slow heads', ['-H', '-u', '/api/v1/nations']],
  ['slow bodies', ['-B', '-u', '/developers/api/sessions', '-t', 'POST']],
  ['slow reading', ['-X', '-u', '/api/v1/nations?limit=100', '-k', '5', '-w', '10', '-y', '20', '-z', '5']],
] as const)
  test(`slowhttptest with ${name} delays no caller`, { skip }, async t => {
    const [mode, option, path, ...more] = args
    await assertServedDuring(t, server.url, async () => {
      const tool = spawn(
        'slowhttptest',
        [
          mode,
          option,
          server.url + path,
          ...more,
          '-c',
          '1000',
          '-r',
          '500',
          '-i',
          '1',
          '-l',
          '8',
          '-p',
          '1',
        ],
        { stdio: 'ignore' },
      )
      await once(tool, 'exit')
    })
    await until(() => server.openFiles() < 200, 'all connections are closed')
  })
