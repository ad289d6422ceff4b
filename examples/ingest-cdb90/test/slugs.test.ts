import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slugsOf } from '../src/slugs.ts'

const slugs = (...names: string[]) => names.map(slugsOf(names))

test('a slug is the name without accents and signs', () => {
  assert.deepEqual(slugs('Dutch Republic', "Queen Éa's War – I", '_under_'), [
    'dutch-republic',
    'queen-ea-s-war-i',
    'under',
  ])
})

test('names that would share a slug each carry a hash, whatever their order', () => {
  const [first, second] = slugs('East Isle', 'East-Isle')
  assert.match(first ?? '', /^east-isle-[0-9a-f]{8}$/)
  assert.match(second ?? '', /^east-isle-[0-9a-f]{8}$/)
  assert.notEqual(first, second)
  assert.deepEqual(slugs('East-Isle', 'East Isle'), [second, first])
})

test('a slug has 64 characters at most: longer names end in a hash', () => {
  const exact = 'a'.repeat(64)
  assert.deepEqual(slugs(exact), [exact])
  const [one, other] = slugs(`${exact} one`, `${exact} other`)
  assert.match(one ?? '', /^a{55}-[0-9a-f]{8}$/)
  assert.notEqual(one, other)
})

test('a name without a letter of ASCII is known by its hash', () => {
  assert.match(slugs('東')[0] ?? '', /^[0-9a-f]{8}$/)
})
