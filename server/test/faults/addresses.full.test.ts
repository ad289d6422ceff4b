import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMemoryLimits } from '../../src/limits/memory.ts'
import { addressBucket } from '../../src/limits/rate-limit.ts'
import { startServerProcess } from '../support/server-process.ts'
import { isLong } from '../support/tier.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes in use, garbage collected first. */
function bytesInUse(): number {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** An address in a /64 of its own. */
const addressOf = (index: number) =>
  `2001:db8:${(index >>> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`
/** The rate-limit key of an address. */
const rateLimitKey = (address: string) => `ip:${addressBucket(address)}`
const regular = rateLimitKey('2001:db8:ffff:1::7')

/** A window with its key, in bytes: an IPv6 network is longer than an IPv4 address. */
const windowBytesMax = 260
/** The overflow buckets, shared by addresses without a window of their own, in MB. */
const overflowMegabytes = 13
const windowsMax = 2_000_000

const floods: [addresses: number, skip: string | false][] = [
  [200_000, isLong ? 'the long tier tests more addresses' : false],
  [1_000_000, isLong ? false : 'takes some seconds: npm run test:faults runs it'],
  [3_000_000, isLong ? false : 'takes some seconds: npm run test:faults runs it'],
]
for (const [addresses, skip] of floods) {
  const megabytesMax =
    (Math.min(addresses, windowsMax) * windowBytesMax) / 1e6 +
    (addresses > windowsMax ? overflowMegabytes : 0)
  test(`${addresses} addresses use less than ${megabytesMax} MB in the rate limiter, and the count of a regular caller is kept`, {
    skip,
  }, async t => {
    // All within one window, however slow the machine is.
    const limits = createMemoryLimits({ now: () => 0 })
    const before = bytesInUse()
    const startedAt = performance.now()
    let counted = 0
    for (let index = 0; index < addresses; index += 1) {
      if (index % (addresses / 50) === 0) {
        const { remaining, isAllowed } = limits.consume(regular, 60)
        counted += 1
        assert.deepEqual([isAllowed, remaining], [true, 60 - counted])
      }
      assert.ok(limits.consume(rateLimitKey(addressOf(index)), 60).isAllowed)
    }
    const megabytes = (bytesInUse() - before) / 1e6
    t.diagnostic(`${megabytes.toFixed(0)} MB, ${Math.round(performance.now() - startedAt)} ms`)
    assert.ok(megabytes < megabytesMax, `${megabytes} MB`)
    assert.equal(counted, 50)
    await limits.close()
  })
}

test('a flood of addresses behind a trusted proxy does not change the count of a regular caller', async t => {
  const count = isLong ? 100_000 : 5_000
  const server = await startServerProcess({
    CHANCERY_ANONYMOUS_LIMIT: '60',
    CHANCERY_TRUSTED_PROXIES: '127.0.0.1',
  })
  t.after(() => server.close())
  const before = await server.usage()
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 })
  t.after(() => agent.destroy())
  const request = (address: string): Promise<{ status: number; remaining: number; reset: number }> =>
    new Promise((resolve, reject) => {
      const headers = { 'x-forwarded-for': address }
      http
        .get(`${server.url}/api/v1/game`, { agent, headers }, response => {
          const { statusCode: status = 0, headers } = response
          const remaining = Number(headers['x-ratelimit-remaining'])
          const reset = Number(headers['x-ratelimit-reset'])
          response.resume().on('end', () => resolve({ status, remaining, reset }))
        })
        .on('error', reject)
    })

  let next = 0
  const flood = async () => {
    for (let index = next++; index < count; index = next++) {
      const { status, remaining } = await request(addressOf(index))
      assert.deepEqual([status, remaining], [200, 59], addressOf(index))
    }
  }
  const windows = new Map<number, number[]>()
  let isOver = false
  const requesting = (async () => {
    // All addresses of one /64 are the same caller.
    for (let call = 0; !isOver; call += 1) {
      const { status, remaining, reset } = await request(`2001:db8:ffff:1::${(call % 50).toString(16)}`)
      assert.ok(status === 200 || remaining === 0)
      if (status === 200) windows.set(reset, [...(windows.get(reset) ?? []), remaining])
    }
  })()
  await Promise.all(Array.from({ length: 16 }, flood))
  isOver = true
  await requesting
  for (const left of windows.values())
    assert.deepEqual(
      left,
      left.map((_, index) => 59 - index),
    )
  const megabytes = ((await server.usage()).usedBytes - before.usedBytes) / 1e6
  t.diagnostic(`${megabytes.toFixed(1)} MB for ${count} addresses`)
  assert.ok(megabytes < 25 + (count * windowBytesMax) / 1e6, `${megabytes} MB`)
})
