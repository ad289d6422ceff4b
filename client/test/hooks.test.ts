import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Chancery, type ChanceryOptions, type RequestInfo, type ResponseInfo } from '../src/index.ts'
import { acceleratedClock } from './support/clocks.ts'
import { good, inSequence, rejecting, startScriptedServer } from './support/scripted-server.ts'

const apiKey = 'chk_secret_of_this_test'

/** A client whose hooks record what they are called with. */
async function observedClient(
  t: TestContext,
  listener: Parameters<typeof startScriptedServer>[1],
  options: Partial<ChanceryOptions> = {},
) {
  const { url, requests } = await startScriptedServer(t, listener)
  const sent: RequestInfo[] = []
  const ended: ResponseInfo[] = []
  const client = new Chancery({
    baseUrl: url,
    apiKey,
    clock: acceleratedClock(50),
    onRequest: request => void sent.push(request),
    onResponse: response => void ended.push(response),
    ...options,
  })
  return { client, requests, sent, ended }
}

/** What does not depend on time. */
const outcomes = (ended: ResponseInfo[]) => ended.map(({ durationMs: _, ...outcome }) => outcome)
const get = (path: string, attempt: number) => ({ method: 'GET', path, attempt })

test('each attempt is reported with its number, and its status or none', async t => {
  const lost: Parameters<typeof startScriptedServer>[1] = req => req.destroy()
  const script = inSequence(lost, rejecting(503, 'unavailable', { 'x-request-id': 'req_7' }), good)
  const { client, sent, ended } = await observedClient(t, script)
  await client.game.get()
  assert.deepEqual(sent, [get('/game', 1), get('/game', 2), get('/game', 3)])
  const common = { isCached: false, requestId: undefined }
  assert.deepEqual(outcomes(ended), [
    { ...get('/game', 1), ...common, status: undefined },
    { ...get('/game', 2), ...common, status: 503, requestId: 'req_7' },
    { ...get('/game', 3), ...common, status: 200 },
  ])
  assert.ok(ended.every(({ durationMs }) => durationMs >= 0))
})

test('a response from the cache is reported without a request, and one that was revalidated as 304', async t => {
  const { client, requests, sent, ended } = await observedClient(t, (req, res) => {
    const isKnown = req.headers['if-none-match'] === '"one"'
    res.writeHead(isKnown ? 304 : 200, { 'content-type': 'application/json', etag: '"one"' })
    res.end(isKnown ? undefined : '{"data":[],"pagination":{"page":1,"limit":1,"total":0,"pages":0}}')
  })
  for (let count = 0; count < 2; count += 1) await client.wars.list()
  for (let count = 0; count < 2; count += 1) await client.events.list()
  assert.equal(requests.length, 3)
  assert.equal(sent.length, 3)
  assert.deepEqual(
    ended.map(({ path, attempt, status, isCached }) => [path, attempt, status, isCached]),
    [
      ['/wars', 1, 200, false],
      ['/wars', 0, undefined, true],
      ['/events', 1, 200, false],
      ['/events', 1, 304, true],
    ],
  )
})

test('hooks receive no key, code, id or parameter', async t => {
  const { client, requests, sent, ended } = await observedClient(t, rejecting(404, 'not_found'))
  const names = { signal: t.signal }
  await assert.rejects(client.nations.get('n_hidden', names))
  await assert.rejects(client.discord.verify('CODEHIDDEN', { for: 'account_hidden', ...names }))
  await assert.rejects(client.nations.list({ search: 'search_hidden', ...names }))
  await assert.rejects(client.events.follow({ nation_id: ['n_hidden'], ...names }).next())
  assert.ok(requests.some(({ headers }) => headers.authorization === `Bearer ${apiKey}`))
  const paths = new Set(ended.map(({ path }) => path))
  assert.deepEqual(
    [...paths],
    ['/nations/{id}', '/discord/verify/{code}', '/nations', '/events/stream', '/events'],
  )
  assert.doesNotMatch(JSON.stringify([sent, ended]), /hidden|chk_/i)
})

test('an error in a hook does not fail the request', async t => {
  const fail = () => {
    throw new Error('full disk')
  }
  for (const failing of [fail, async () => fail()]) {
    const { client } = await observedClient(t, good, { onRequest: failing, onResponse: failing })
    assert.equal((await client.game.get()).name, 'Meridian')
  }
})

test('the rate limit can be read: the usual one at first, then that of the latest response', async t => {
  const reset = Math.ceil(Date.now() / 1000) + 40
  const { client } = await observedClient(t, (req, res) => {
    res.setHeader('x-ratelimit-limit', '300')
    res.setHeader('x-ratelimit-remaining', '299')
    res.setHeader('x-ratelimit-reset', String(reset))
    good(req, res)
  })
  assert.deepEqual(client.rateLimit, { limit: 120, remaining: 120, reset: undefined })
  await client.game.get()
  assert.deepEqual(client.rateLimit, { limit: 300, remaining: 299, reset })
})

test('the user agent is sent with each request, unless the client runs in a browser', async t => {
  const userAgent = 'war-bot/1.2 (+https://bot.example)'
  const { client, requests } = await observedClient(t, good, { userAgent })
  await client.game.get()
  assert.equal(requests[0]?.headers['user-agent'], userAgent)
  for (const name of ['document', 'importScripts']) {
    Object.assign(globalThis, { [name]: {} })
    t.after(() => Reflect.deleteProperty(globalThis, name))
    const inBrowser = await observedClient(t, good, { userAgent })
    await inBrowser.client.game.get()
    assert.notEqual(inBrowser.requests[0]?.headers['user-agent'], userAgent)
    Reflect.deleteProperty(globalThis, name)
  }
  for (const invalid of ['', ' bot', 'bot\r\nx: y', 'bøt'])
    assert.throws(() => new Chancery({ baseUrl: 'http://127.0.0.1:1', userAgent: invalid }), TypeError)
})
