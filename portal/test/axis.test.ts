import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { axisTicks } from '../src/ui/axis.ts'

test('an axis has round values', () => {
  assert.deepEqual(axisTicks(287.31, 557.06, false), [200, 300, 400, 500, 600])
  assert.deepEqual(axisTicks(1, 3, true), [1, 2, 3])
  assert.deepEqual(axisTicks(7, 7, true), [7, 8])
  assert.deepEqual(axisTicks(0, 0, false), [0, 0.5])
  assert.deepEqual(axisTicks(0.1, 0.3, false), [0.1, 0.15, 0.2, 0.25, 0.3])
})

test('an axis contains all values, and has two to seven lines', () => {
  const value = fc
    .oneof(fc.double({ min: -1e15, max: 1e15, noNaN: true }), fc.integer({ min: -50, max: 50 }))
    .map(drawn => Number(drawn.toFixed(4)))
  fc.assert(
    fc.property(value, value, fc.boolean(), (one, other, isWhole) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      const ticks = axisTicks(low, high, isWhole)
      assert.ok(ticks.length >= 2 && ticks.length <= 7, `${ticks}`)
      const slack = Math.max(Math.abs(low), Math.abs(high)) * 1e-11
      assert.ok((ticks[0] ?? 0) <= low + slack && (ticks.at(-1) ?? 0) >= high - slack, `${ticks}`)
      assert.ok(
        ticks.every((tick, index) => index === 0 || tick > (ticks[index - 1] ?? 0)),
        `${ticks}`,
      )
    }),
  )
})
