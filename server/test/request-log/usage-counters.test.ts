import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ServedRequest } from '../../src/request-log/request-ring.ts'
import { type Counts, createUsageCounters, otherAddresses } from '../../src/request-log/usage-counters.ts'
import { anonymousRequest, servedRequest } from './test-requests.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const start = Date.parse('2026-06-01T12:58:30Z')
const roomy = { combinationsMax: 1_000, addressesMax: 1_000 }

const someRequests = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40_000 }), fc.constant(-30_000)),
    request: fc.oneof(
      fc
        .record({
          keyId: fc.constantFrom('key_1', 'key_2'),
          operation: fc.constantFrom('nations.get', 'discord.verify', 'none'),
          status: fc.constantFrom(200, 304, 404, 429),
        })
        .map(more => servedRequest(more)),
      fc
        .record({
          address: fc.constantFrom('192.0.2.1', '2001:db8::/64'),
          status: fc.constantFrom(200, 401, 429),
        })
        .map(({ address, status }) => anonymousRequest(address, { status })),
    ),
    takes: fc.constantFrom(true, false, false, false),
  }),
  { maxLength: 200, size: 'max' },
)

/** Adds up several flushes. */
function sums(taken: readonly Counts[]): Record<string, number> {
  const total: Record<string, number> = {}
  const add = (name: string, count: number) => {
    if (count > 0) total[name] = (total[name] ?? 0) + count
  }
  for (const { minutes, hours, addresses } of taken) {
    for (const each of minutes) {
      add(`${each.keyId} minute ${each.minute}`, each.calls)
      add(`${each.keyId} minute ${each.minute} limited`, each.limited)
    }
    for (const each of hours)
      add(`${each.keyId} hour ${each.hour} ${each.operation} ${each.status}`, each.calls)
    for (const each of addresses) {
      add(`${each.address} hour ${each.hour}`, each.calls)
      add(`${each.address} hour ${each.hour} limited`, each.limited)
      add(`${each.address} hour ${each.hour} rejected`, each.rejected)
    }
  }
  return total
}

function namesOf({ keyId, address, operation, status }: ServedRequest, at: number): string[] {
  const minute = Math.floor(at / minuteMs) * minuteMs
  const hour = Math.floor(at / hourMs) * hourMs
  if (keyId === null) {
    const name = `${address} hour ${hour}`
    return [name, ...(status === 429 ? [`${name} limited`] : status === 401 ? [`${name} rejected`] : [])]
  }
  const name = `${keyId} minute ${minute}`
  return [
    name,
    ...(status === 429 ? [`${name} limited`] : []),
    `${keyId} hour ${hour} ${operation} ${status}`,
  ]
}

test('counts are exact over minutes, hours and flushes, whatever the clock does', () => {
  fc.assert(
    fc.property(someRequests, steps => {
      const counters = createUsageCounters(roomy)
      const taken: Counts[] = []
      const expected: Record<string, number> = {}
      let at = start
      for (const { waitMs, request, takes } of steps) {
        at += waitMs
        counters.count(request, at)
        for (const name of namesOf(request, at)) expected[name] = (expected[name] ?? 0) + 1
        if (takes) taken.push(counters.take())
      }
      taken.push(counters.take())
      assert.deepEqual(sums(taken), expected)
      assert.equal(
        taken.reduce((sum, { requests }) => sum + requests, 0),
        steps.length,
      )
    }),
  )
})

test('addresses above the limit of an hour are counted together, and a new hour starts empty', () => {
  const counters = createUsageCounters({ ...roomy, addressesMax: 3 })
  const count = (address: string, at: number) =>
    counters.count(anonymousRequest(address, { status: 401 }), at)
  for (let caller = 0; caller < 50; caller += 1) count(`192.0.2.${caller}`, start)
  const first = counters.take().addresses
  assert.deepEqual(
    first.map(({ address, calls, rejected }) => [address, calls, rejected]),
    [...['192.0.2.0', '192.0.2.1', '192.0.2.2'].map(address => [address, 1, 1]), [otherAddresses, 47, 47]],
  )
  count('192.0.2.49', start)
  count('192.0.2.1', start)
  assert.deepEqual(
    counters.take().addresses.map(({ address, calls }) => [address, calls]),
    [
      ['192.0.2.1', 1],
      [otherAddresses, 1],
    ],
    'a flush frees no slots: the table would grow with each',
  )
  count('192.0.2.49', start + hourMs)
  counters.take()
  count('192.0.2.48', start + hourMs)
  assert.deepEqual(
    counters.take().addresses.map(({ address }) => address),
    ['192.0.2.48'],
  )
})

test('combinations above the limit are not counted, and their number is reported', () => {
  const counters = createUsageCounters({ ...roomy, combinationsMax: 2 })
  for (const keyId of ['key_1', 'key_2', 'key_3', 'key_3', 'key_1'])
    counters.count(servedRequest({ keyId }), start)
  const { minutes, requests, uncounted } = counters.take()
  assert.deepEqual(
    minutes.map(each => [each.keyId, each.calls]),
    [
      ['key_1', 2],
      ['key_2', 1],
    ],
  )
  assert.deepEqual([requests, uncounted], [3, 2])
  counters.count(servedRequest({ keyId: 'key_3' }), start)
  assert.deepEqual([counters.take().uncounted, counters.take().requests], [0, 0])
})
