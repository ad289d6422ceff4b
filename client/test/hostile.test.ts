import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Chancery, ChanceryError, type ChanceryOptions } from '../src/index.ts'
import { hurriedClock } from './support/clocks.ts'
import { good, inTurn, page, refuses, sends, serveHostile } from './support/hostile.ts'

const factor = 50
const clock = hurriedClock(factor)

async function clientOf(
  t: TestContext,
  listener: Parameters<typeof serveHostile>[1],
  options: Partial<ChanceryOptions> = {},
) {
  const { url, asked } = await serveHostile(t, listener)
  return { client: new Chancery({ baseUrl: url, clock, ...options }), asked, url }
}

/** A clock that notes what it is asked to wait for. */
function notedWaits() {
  const waits: number[] = []
  const noted: typeof clock = {
    ...clock,
    after(ms, callback) {
      waits.push(ms)
      return clock.after(ms, callback)
    },
  }
  return { waits, noted }
}

/** How long something takes, in the client's seconds. */
async function seconds(what: () => Promise<unknown>): Promise<number> {
  const began = clock.now()
  await what()
  return (clock.now() - began) / 1000
}

const cut =
  (headers: Record<string, string>): Parameters<typeof serveHostile>[1] =>
  (_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json', ...headers })
    res.write('{"data":{"na', () => res.destroy())
  }

const failures: Record<string, [Parameters<typeof serveHostile>[1], Partial<ChanceryError>]> = {
  'an answer that never comes': [() => {}, { code: 'timeout' }],
  'a body that stops': [
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"data":')
    },
    { code: 'timeout' },
  ],
  'a connection that is closed': [req => req.destroy(), { code: 'network_error' }],
  'a body that is cut': [cut({ 'content-length': '100' }), { code: 'network_error' }],
  'a body that is cut between chunks': [cut({}), { code: 'network_error' }],
  'a body that ends too early without saying so': [sends('{"data":{"na'), { code: 'network_error' }],
  'an error page of a proxy': [page(502), { code: 'unexpected_answer', status: 502 }],
  'a service that is away': [refuses(503, 'unavailable'), { code: 'unavailable', status: 503 }],
  'a service that fails': [refuses(500, 'internal_error'), { code: 'internal_error', requestId: 'req_1' }],
  'a limit without retry-after': [refuses(429, 'rate_limited'), { code: 'rate_limited', status: 429 }],
}

for (const [what, [listener, expected]] of Object.entries(failures)) {
  test(`${what} is asked again, and told when it stays`, async t => {
    const { client, asked } = await clientOf(t, listener)
    await assert.rejects(client.game.get(), error => {
      assert.ok(error instanceof ChanceryError)
      for (const [name, value] of Object.entries(expected)) assert.equal(error[name as 'code'], value)
      return true
    })
    assert.equal(asked.length, 3)
  })

  test(`${what} is overcome where it passes`, async t => {
    const { client, asked } = await clientOf(t, inTurn(listener, listener, good))
    assert.equal((await client.game.get()).name, 'Meridian')
    assert.equal(asked.length, 3)
  })

  test(`a verification that meets ${what} is never sent again`, async t => {
    const { client, asked } = await clientOf(t, inTurn(listener, good))
    await assert.rejects(client.discord.verify('K7PWM3XQ9T'), ChanceryError)
    await sleep(30_000 / factor)
    assert.equal(asked.length, 1)
  })
}

const finals: Record<string, [Parameters<typeof serveHostile>[1], Partial<ChanceryError>]> = {
  'a page of something else': [page(200), { code: 'unexpected_answer', status: 200 }],
  'a page that knows nothing': [page(404), { code: 'unexpected_answer', status: 404 }],
  'JSON that is no answer': [sends('[1, 2]'), { code: 'unexpected_answer', status: 200 }],
  'JSON that is nothing': [sends('null'), { code: 'unexpected_answer', status: 200 }],
  'an answer without data': [sends('{"data":null}'), { code: 'unexpected_answer', status: 200 }],
  'a 304 that nobody asked for': [
    (_req, res) => res.writeHead(304).end(),
    { code: 'unexpected_answer', status: 304 },
  ],
  'a wrong parameter': [refuses(400, 'invalid_parameter'), { code: 'invalid_parameter', status: 400 }],
  'a code that this client does not know': [refuses(403, 'not_today'), { code: 'not_today', status: 403 }],
  'a wait of an hour': [
    refuses(429, 'rate_limited', { 'retry-after': '3600' }),
    { code: 'rate_limited', retryAfter: 3600 },
  ],
}

for (const [what, [listener, expected]] of Object.entries(finals)) {
  test(`${what} is told at once`, async t => {
    const { client, asked } = await clientOf(t, listener)
    await assert.rejects(client.game.get(), expected)
    assert.equal(asked.length, 1)
  })
}

test('a list that is none is told as such', async t => {
  const { client } = await clientOf(t, sends('{"data":{"name":"Meridian"}}'))
  await assert.rejects(client.wars.list(), { code: 'unexpected_answer' })
})

test('a redirect is not followed, and the key goes nowhere else', async t => {
  const other = await serveHostile(t, good)
  const { client, asked } = await clientOf(
    t,
    (_req, res) => res.writeHead(302, { location: `${other.url}/api/public/v1/game` }).end(),
    { apiKey: 'chk_secret' },
  )
  await assert.rejects(client.game.get(), { code: 'unexpected_answer', status: 302 })
  assert.deepEqual([asked.length, other.asked.length], [1, 0])
})

for (const [status, code] of [
  [429, 'rate_limited'],
  [503, 'unavailable'],
] as const) {
  test(`retry-after of ${status} is waited for, in seconds or as a date`, async t => {
    const byDate = { 'retry-after': 'Wed, 27 May 2026 18:00:05 GMT', date: 'Wed, 27 May 2026 18:00:00 GMT' }
    for (const headers of [{ 'retry-after': '5' }, byDate]) {
      const { client } = await clientOf(t, inTurn(refuses(status, code, headers), good))
      const taken = await seconds(() => client.game.get())
      assert.ok(taken >= 5 && taken < 15, `${taken} s`)
    }
  })
}

test('after a 429 all calls wait, and not each for a 429 of its own', async t => {
  const { client, asked } = await clientOf(
    t,
    inTurn(refuses(429, 'rate_limited', { 'retry-after': '10' }), good),
  )
  const first = client.game.get()
  while (asked.length === 0) await sleep(1)
  await sleep(2_000 / factor)
  const taken = await seconds(() => client.nations.get('n1'))
  await first
  assert.ok(taken > 5, `${taken} s`)
  assert.equal(asked.length, 3)
})

test('those who failed together do not come back together', async t => {
  const { waits, noted } = notedWaits()
  for (const chance of [0, 0.5, 1]) {
    const { client } = await clientOf(t, inTurn(page(502), page(502), good), {
      random: () => chance,
      clock: noted,
    })
    await client.game.get()
  }
  assert.deepEqual(
    waits.filter(ms => ms !== 10_000),
    [250, 500, 375, 750, 500, 1_000],
  )
})

test('a call is given up at once: while it is under way, and while it waits', async t => {
  const { client, asked } = await clientOf(
    t,
    inTurn(() => {}, refuses(503, 'unavailable', { 'retry-after': '50' })),
  )
  for (const expected of [1, 2]) {
    const controller = new AbortController()
    const call = client.game.get({ signal: controller.signal })
    while (asked.length < expected) await sleep(1)
    await sleep(20)
    const reason = new Error('enough')
    const began = performance.now()
    controller.abort(reason)
    await assert.rejects(call, error => error === reason)
    assert.ok(performance.now() - began < 100)
  }
  const [first] = asked
  assert.ok(first?.destroyed, 'the connection is closed')
  await sleep(60_000 / factor)
  assert.equal(asked.length, 2)
  await assert.rejects(client.game.get({ signal: AbortSignal.abort(new Error('before')) }), /before/)
  assert.equal(asked.length, 2)
})

test('a call may have less time than others', async t => {
  const { waits, noted } = notedWaits()
  const { client } = await clientOf(t, () => {}, { retries: 0, clock: noted })
  await assert.rejects(client.game.get({ timeoutMs: 2_000 }), { code: 'timeout' })
  await assert.rejects(client.nations.get('n1'), { code: 'timeout' })
  assert.deepEqual(waits, [2_000, 10_000])
})
