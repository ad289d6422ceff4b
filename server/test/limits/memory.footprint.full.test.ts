import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMemoryLimits } from '../../src/limits/memory.ts'
import { tier } from '../support/tier.ts'

const megabyte = 1024 * 1024
const subjects = tier === 'quick' ? 100_000 : 1_000_000

/** Bytes in use, garbage collected first. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // Typed arrays are freed by the second collection.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('a million subjects take less than 150 MB, and leave nothing behind', async t => {
  let now = 0
  const limits = createMemoryLimits({ now: () => now })
  const before = memoryInUse()
  for (let index = 0; index < subjects; index++) {
    limits.consume(`${index >>> 16}.${(index >>> 8) & 255}.${index & 255}.7`, 60)
  }
  assert.equal(limits.size(), subjects)
  const megabytes = (memoryInUse() - before) / megabyte
  t.diagnostic(`${megabytes.toFixed(0)} MB`)
  assert.equal(megabytes < 150 * (subjects / 1_000_000) + 5, true, `${megabytes} MB`)

  now += 60_000
  while (limits.size() > 1) limits.consume('a', 60)
  const left = (memoryInUse() - before) / megabyte
  assert.equal(left < 5, true, `${left} MB stayed`)
  assert.equal(limits.size(), 1, 'the store was still in use when it was measured')
})
