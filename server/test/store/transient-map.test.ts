import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransientMap } from '../../src/store/transient-map.ts'

test('it has the entries of a Map, however many come and go', () => {
  const [transient, map] = [new TransientMap<number, string>(), new Map<number, string>()]
  for (let number = 0; number < 5_000; number += 1) {
    const key = (number * 7_919) % 700
    if (number % 3 === 0) {
      assert.equal(transient.delete(key), map.delete(key))
    } else {
      transient.set(key, `value ${number}`)
      map.set(key, `value ${number}`)
    }
    assert.equal(transient.get(key), map.get(key))
    assert.equal(transient.size, map.size)
  }
  assert.ok(map.size > 200)
  assert.deepEqual([...transient.values()].sort(), [...map.values()].sort())
  transient.clear()
  assert.deepEqual([transient.size, [...transient.values()]], [0, []])
})
