import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Chancery, ChanceryError, type ChanceryOptions } from '../src/index.ts'
import { acceleratedClock } from './support/clocks.ts'
import { good, inSequence, page, rejecting, sends, startScriptedServer } from './support/scripted-server.ts'

const factor = 50
const clock = acceleratedClock(factor)

async function clientOf(
  t: TestContext,
  listener: Parameters<typeof startScriptedServer>[1],
  options: Partial<ChanceryOptions> = {},
) {
  const { url, requests } = await startScriptedServer(t, listener)
  return { client: new Chancery({ baseUrl: url, clock, ...options }), requests, url }
}

/** A clock that records the requested delays. */
function recordingClock() {
  const waits: number[] = []
  const recorded: typeof clock = {
    ...clock,
    after(ms, callback) {
      waits.push(ms)
      return clock.after(ms, callback)
    },
  }
  return { waits, recorded }
}

/** How long something takes, in the client's seconds. */
async function seconds(what: () => Promise<unknown>): Promise<number> {
  const began = clock.now()
  await what()
  return (clock.now() - began) / 1000
}

const cut =
  (headers: Record<string, string>): Parameters<typeof startScriptedServer>[1] =>
  (_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json', ...headers })
    res.write('{"data":{"na', () => res.destroy())
  }

const failures: Record<string, [Parameters<typeof startScriptedServer>[1], Partial<ChanceryError>]> = {
  'a response that never arrives': [() => {}, { code: 'timeout' }],
  'a body that stops': [
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"data":')
    },
    { code: 'timeout' },
  ],
  'a connection that is closed': [req => req.destroy(), { code: 'network_error' }],
  'a truncated body': [cut({ 'content-length': '100' }), { code: 'network_error' }],
  'a body that is truncated between chunks': [cut({}), { code: 'network_error' }],
  'a truncated body without a length': [sends('{"data":{"na'), { code: 'network_error' }],
  'an error page of a proxy': [page(502), { code: 'unexpected_response', status: 502 }],
  'an unavailable service': [rejecting(503, 'unavailable'), { code: 'unavailable', status: 503 }],
  'a service that fails': [rejecting(500, 'internal_error'), { code: 'internal_error', requestId: 'req_1' }],
  'a limit without retry-after': [rejecting(429, 'rate_limited'), { code: 'rate_limited', status: 429 }],
}

for (const [what, [listener, expected]] of Object.entries(failures)) {
  test(`${what} is retried, and thrown if it persists`, async t => {
    const { client, requests } = await clientOf(t, listener)
    await assert.rejects(client.game.get(), error => {
      assert.ok(error instanceof ChanceryError)
      for (const [name, value] of Object.entries(expected)) assert.equal(error[name as 'code'], value)
      return true
    })
    assert.equal(requests.length, 3)
  })

  test(`${what} that passes is hidden by a retry`, async t => {
    const { client, requests } = await clientOf(t, inSequence(listener, listener, good))
    assert.equal((await client.game.get()).name, 'Meridian')
    assert.equal(requests.length, 3)
  })

  test(`a verification is not retried after ${what}`, async t => {
    const { client, requests } = await clientOf(t, inSequence(listener, good))
    await assert.rejects(client.discord.verify('K7PWM3XQ9T'), ChanceryError)
    await sleep(30_000 / factor)
    assert.equal(requests.length, 1)
  })
}

const finals: Record<string, [Parameters<typeof startScriptedServer>[1], Partial<ChanceryError>]> = {
  'an HTML page': [page(200), { code: 'unexpected_response', status: 200 }],
  'an HTML page with 404': [page(404), { code: 'unexpected_response', status: 404 }],
  'JSON of another form': [sends('[1, 2]'), { code: 'unexpected_response', status: 200 }],
  'JSON null': [sends('null'), { code: 'unexpected_response', status: 200 }],
  'a response without data': [sends('{"data":null}'), { code: 'unexpected_response', status: 200 }],
  'an unsolicited 304': [
    (_req, res) => res.writeHead(304).end(),
    { code: 'unexpected_response', status: 304 },
  ],
  'a wrong parameter': [rejecting(400, 'invalid_parameter'), { code: 'invalid_parameter', status: 400 }],
  'an unknown code': [rejecting(403, 'not_today'), { code: 'not_today', status: 403 }],
  'a retry-after of an hour': [
    rejecting(429, 'rate_limited', { 'retry-after': '3600' }),
    { code: 'rate_limited', retryAfter: 3600 },
  ],
}

for (const [what, [listener, expected]] of Object.entries(finals)) {
  test(`${what} is thrown at once`, async t => {
    const { client, requests } = await clientOf(t, listener)
    await assert.rejects(client.game.get(), expected)
    assert.equal(requests.length, 1)
  })
}

test('a response that is not a list is an error', async t => {
  const { client } = await clientOf(t, sends('{"data":{"name":"Meridian"}}'))
  await assert.rejects(client.wars.list(), { code: 'unexpected_response' })
})

test('a redirect is not followed, and the key is not sent elsewhere', async t => {
  const other = await startScriptedServer(t, good)
  const { client, requests } = await clientOf(
    t,
    (_req, res) => res.writeHead(302, { location: `${other.url}/api/public/v1/game` }).end(),
    { apiKey: 'chk_secret' },
  )
  await assert.rejects(client.game.get(), { code: 'unexpected_response', status: 302 })
  assert.deepEqual([requests.length, other.requests.length], [1, 0])
})

for (const [status, code] of [
  [429, 'rate_limited'],
  [503, 'unavailable'],
] as const) {
  test(`retry-after of ${status} is waited for, in seconds or as a date`, async t => {
    const byDate = { 'retry-after': 'Wed, 27 May 2026 18:00:05 GMT', date: 'Wed, 27 May 2026 18:00:00 GMT' }
    for (const headers of [{ 'retry-after': '5' }, byDate]) {
      const { client } = await clientOf(t, inSequence(rejecting(status, code, headers), good))
      const taken = await seconds(() => client.game.get())
      assert.ok(taken >= 5 && taken < 15, `${taken} s`)
    }
  })
}

test('after a 429 all requests wait', async t => {
  const { client, requests } = await clientOf(
    t,
    inSequence(rejecting(429, 'rate_limited', { 'retry-after': '10' }), good),
  )
  const first = client.game.get()
  while (requests.length === 0) await sleep(1)
  await sleep(2_000 / factor)
  const taken = await seconds(() => client.nations.get('n1'))
  await first
  assert.ok(taken > 5, `${taken} s`)
  assert.equal(requests.length, 3)
})

test('clients that failed at the same time retry at different times', async t => {
  const { waits, recorded } = recordingClock()
  for (const chance of [0, 0.5, 1]) {
    const { client } = await clientOf(t, inSequence(page(502), page(502), good), {
      random: () => chance,
      clock: recorded,
    })
    await client.game.get()
  }
  assert.deepEqual(
    waits.filter(ms => ms !== 10_000),
    [250, 500, 375, 750, 500, 1_000],
  )
})

test('a request is aborted at once, in flight and while it waits', async t => {
  const { client, requests } = await clientOf(
    t,
    inSequence(() => {}, rejecting(503, 'unavailable', { 'retry-after': '50' })),
  )
  for (const expected of [1, 2]) {
    const controller = new AbortController()
    const call = client.game.get({ signal: controller.signal })
    while (requests.length < expected) await sleep(1)
    await sleep(20)
    const reason = new Error('enough')
    const began = performance.now()
    controller.abort(reason)
    await assert.rejects(call, error => error === reason)
    assert.ok(performance.now() - began < 100)
  }
  const [first] = requests
  assert.ok(first?.destroyed, 'the connection is closed')
  await sleep(60_000 / factor)
  assert.equal(requests.length, 2)
  await assert.rejects(client.game.get({ signal: AbortSignal.abort(new Error('before')) }), /before/)
  assert.equal(requests.length, 2)
})

test('a request may have its own timeout', async t => {
  const { waits, recorded } = recordingClock()
  const { client } = await clientOf(t, () => {}, { retries: 0, clock: recorded })
  await assert.rejects(client.game.get({ timeoutMs: 2_000 }), { code: 'timeout' })
  await assert.rejects(client.nations.get('n1'), { code: 'timeout' })
  assert.deepEqual(waits, [2_000, 10_000])
})
