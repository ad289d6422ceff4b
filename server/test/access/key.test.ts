import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey, isKeyText } from '../../src/access/key.ts'

test('a key is chk_, 32 random characters and 6 of a checksum', () => {
  const keys = Array.from({ length: 200 }, generateKey)
  for (const key of keys) {
    assert.match(key, /^chk_[0-9A-Za-z]{38}$/)
    assert.ok(isKeyText(key))
  }
  assert.equal(new Set(keys).size, keys.length)
})

test('the checksum does not change, because secret scanners know it', () => {
  assert.ok(isKeyText('chk_0123456789ABCDEFGHIJKLMNOPQRSTUVlmpYX1'))
})

test('a mistyped, missing, doubled or swapped character is detected', () => {
  const key = generateKey()
  for (let place = 0; place < key.length; place += 1) {
    const [before, at, after] = [key.slice(0, place), key[place] ?? '', key.slice(place + 1)]
    assert.ok(!isKeyText(`${before}${at === '0' ? '1' : '0'}${after}`), `mistyped at ${place}`)
    assert.ok(!isKeyText(before + after), `left out at ${place}`)
    assert.ok(!isKeyText(before + at + at + after), `doubled at ${place}`)
    const swapped = before + (after[0] ?? '') + at + after.slice(1)
    if (swapped !== key) assert.ok(!isKeyText(swapped), `swapped at ${place}`)
  }
})

test('no other text is a key', () => {
  const key = generateKey()
  for (const text of [
    '',
    'chk_',
    key.toUpperCase(),
    ` ${key}`,
    `${key} `,
    `${key}\n`,
    key.slice(4),
    `chk-${key.slice(4)}`,
    `${key}${key}`,
  ])
    assert.ok(!isKeyText(text), JSON.stringify(text.replace(key, '<key>')))
})
