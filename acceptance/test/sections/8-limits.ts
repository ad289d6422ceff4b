import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bases, canonical, mirror, onBothBases } from '../../src/client.ts'
import type { Exchange } from '../../src/exchange.ts'
import { describeExchange, expectError, expectStatus, headerNumber } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import type { Key } from '../../src/keys.ts'
import { orSkip, specTest } from '../../src/spec-test.ts'

/** Limits belong to keys, not to players. */
const playerId = 'acceptance'
const smallLimit = 5
const defaultKeyLimit = 120
const windowSeconds = 60
/** Responses that a bot may cache. */
const cacheable = ['/rankings?board=nations', '/rankings?board=alliances', '/nations', '/nations/{id}']

interface Blocked {
  key: Key
  responses: Exchange[]
  rejected: Exchange
  at: number
}

/**
 * First exhausts the window of a key with a small limit: no other caller is blocked, and most of the window is over
 * when the other tests are done.
 */
export function limits(fixture: Fixture): { begin: () => Promise<void>; rest: () => void } {
  const { client, world, keys } = fixture
  let blocked: Blocked | undefined

  const begin = async () => {
    if (!client.settings.operator) return
    const key = await keys.make({ playerId, limit: smallLimit })
    const at = Date.now()
    const responses: Exchange[] = []
    for (let call = 0; call < smallLimit; call += 1)
      responses.push(await send(key, bases[call % 2] ?? canonical))
    blocked = { key, responses, rejected: await send(key, mirror), at }
  }

  const send = ({ key }: Key, base: string) => client.request(`${base}/eras`, { key, expectsLimit: true })
  const block = () => orSkip(blocked, 'needs a key with a small limit, which the operator API creates')

  const rest = () => {
    describe('8. Limits', () => {
      specTest('anonymous requests are limited to 60 a minute, counted over both bases', async () => {
        const counted: number[] = []
        await onBothBases(async base => {
          const exchange = expectStatus(await client.request(`${base}/eras`, { key: null }), 200)
          assert.equal(headerNumber(exchange, 'x-ratelimit-limit'), 60, 'is CHANCERY_ANONYMOUS_LIMIT set?')
          counted.push(headerNumber(exchange, 'x-ratelimit-remaining'))
        })
        const [first = 0, second = 0] = counted
        // Another caller of this address may be counted too, or a new window may have started.
        assert.ok(second < first || second >= 55, `${first} left, then ${second}`)
      })

      specTest(
        'requests with a key are limited to 120 a minute: of more at once exactly 120 succeed',
        async () => {
          const key = await keys.make({ playerId })
          const calls = Array.from({ length: defaultKeyLimit + 10 }, (_, call) =>
            send(key, bases[call % 2] ?? mirror),
          )
          const responses = await Promise.all(calls)
          const [accepted, rejected] = [200, 429].map(status =>
            responses.filter(response => response.status === status),
          )
          for (const exchange of responses)
            assert.equal(headerNumber(exchange, 'x-ratelimit-limit'), 120, 'is CHANCERY_KEY_LIMIT set?')
          assert.equal(accepted?.length, defaultKeyLimit)
          assert.equal(rejected?.length, 10)
          for (const exchange of rejected ?? []) expectError(exchange, 429, 'rate_limited')
        },
      )

      specTest('a key can have a limit of its own', () => {
        const { responses } = block()
        for (const exchange of responses) {
          expectStatus(exchange, 200)
          assert.equal(headerNumber(exchange, 'x-ratelimit-limit'), smallLimit)
        }
      })

      specTest('x-ratelimit-remaining counts down to 0, over both bases together', () => {
        const { responses, rejected } = block()
        const counted = [...responses, rejected].map(exchange =>
          headerNumber(exchange, 'x-ratelimit-remaining'),
        )
        assert.deepEqual(counted, [4, 3, 2, 1, 0, 0])
      })

      specTest('x-ratelimit-reset is when the window ends, in Unix seconds', () => {
        const { responses, rejected, at } = block()
        const resets = [...responses, rejected].map(exchange => headerNumber(exchange, 'x-ratelimit-reset'))
        assert.equal(new Set(resets).size, 1, `it stays the same in a window: ${resets}`)
        const [exchange = rejected] = responses
        const startedAt =
          Date.parse(String(exchange.responseHeaders.date ?? new Date(at).toUTCString())) / 1000
        const seconds = (resets[0] ?? 0) - startedAt
        assert.ok(seconds >= 1 && seconds <= windowSeconds + 2, `it is ${seconds} s away`)
      })

      specTest('exceeding a limit is 429 with retry-after', () => {
        const { rejected } = block()
        expectError(rejected, 429, 'rate_limited')
        const seconds = headerNumber(rejected, 'retry-after')
        assert.ok(seconds >= 1 && seconds <= windowSeconds, `retry-after: ${seconds}`)
      })

      specTest('an exhausted key does not affect another key or anonymous requests', async () => {
        block()
        const other = await keys.make({ playerId })
        expectStatus(await send(other, mirror), 200)
        expectStatus(await client.request(`${mirror}/eras`, { key: null }), 200)
      })

      specTest('responses that bots should cache for 60 seconds are cacheable', async () => {
        const { id } = await world.owner()
        await onBothBases(async base => {
          for (const path of cacheable) {
            const exchange = expectStatus(await client.request(base + path.replace('{id}', String(id))), 200)
            const [, seconds] = /max-age=(\d+)/.exec(String(exchange.responseHeaders['cache-control'])) ?? []
            assert.ok(
              Number(seconds) >= 60,
              `${describeExchange(exchange)}: ${exchange.responseHeaders['cache-control']}`,
            )
            const again = await client.request(base + path.replace('{id}', String(id)), {
              headers: { 'if-none-match': String(exchange.responseHeaders.etag) },
            })
            assert.ok([200, 304].includes(again.status), describeExchange(again))
          }
        })
      })

      specTest('the block is temporary: rejected requests do not lengthen it, and it is no ban', async () => {
        const { key, rejected } = block()
        for (let call = 0; call < 20; call += 1) {
          const exchange = await send(key, bases[call % 2] ?? mirror)
          if (exchange.status !== 429) break
          assert.equal(
            exchange.responseHeaders['x-ratelimit-reset'],
            rejected.responseHeaders['x-ratelimit-reset'],
          )
        }
        const last = await send(key, canonical)
        if (last.status === 429) await sleep(headerNumber(last, 'retry-after') * 1000)
        await onBothBases(async base => void expectStatus(await send(key, base), 200))
      })
    })
  }
  return { begin, rest }
}
