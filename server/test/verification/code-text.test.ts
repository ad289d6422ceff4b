import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@chancery/contract'
import { generateCode, hashCode, hashCodesIn } from '../../src/verification/code-text.ts'

const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

test('a code has 10 characters of an alphabet without look-alikes', () => {
  assert.equal(limits.codeAlphabet, alphabet)
  for (const lookAlike of '01ILOU') assert.ok(!alphabet.includes(lookAlike))
  for (let draw = 0; draw < 1_000; draw += 1)
    assert.match(generateCode(), /^[23456789ABCDEFGHJKMNPQRSTVWXYZ]{10}$/)
})

test('codes are drawn evenly, at every place', () => {
  const draws = 60_000
  const counts = Array.from({ length: limits.codeLength }, () => new Map<string, number>())
  const seen = new Set<string>()
  for (let draw = 0; draw < draws; draw += 1) {
    const code = generateCode()
    seen.add(code)
    for (const [place, letter] of [...code].entries())
      counts[place]?.set(letter, (counts[place]?.get(letter) ?? 0) + 1)
  }
  // 60,000 of 5.9e14: two that are the same come about once in 300,000 runs.
  assert.equal(seen.size, draws)
  const expected = draws / alphabet.length
  for (const count of counts) {
    const chiSquare = [...alphabet].reduce(
      (sum, letter) => sum + ((count.get(letter) ?? 0) - expected) ** 2 / expected,
      0,
    )
    // 29 degrees of freedom: beyond 120 less than once in 10^12. A bias of the modulo (256 % 30) makes more than 400.
    assert.ok(chiSquare < 120, `chi-square ${chiSquare}`)
  }
})

test('a code is accepted in lower case, with blanks and with dashes, and in no other spelling', () => {
  const code = 'K7PWM3XQ9T'
  const hash = hashCode(code)
  assert.ok(hash)
  const spaced = ['K7PWM 3XQ9T', 'k7pwm\u00a03xq9t', ` ${code}`, `${code}\n`, [...code].join(' ')]
  const dashed = ['K7PWM-3XQ9T', 'K7PWM – 3XQ9T', 'k7-pwm-3xq-9t', 'K7PWM\u20103XQ9T', 'K7PWM\u22123XQ9T']
  for (const same of [code.toLowerCase(), 'k7PwM3xQ9t', ...spaced, ...dashed])
    assert.deepEqual(hashCode(same), hash, JSON.stringify(same))
  const lookAlikes = ['K7PWM3XQ9I', 'K7PWM3XQ90', 'K7PWM3XQ9Ｔ', 'ſ7PWM3XQ9T', 'ı7PWM3XQ9T']
  const punctuated = ['K7PWM.3XQ9T', 'K7PWM_3XQ9T', 'K7PWM+3XQ9T', 'K7PWM\u200b3XQ9T', `"${code}"`]
  const short = ['', '-', '          ', code.slice(1), 'K7PWM-3XQ9', 'K7PWM 3XQ9 ']
  const long = [`${code}2`, 'K7PWM-3XQ9T-2', `${code}${' '.repeat(12)}`]
  for (const other of [...lookAlikes, ...punctuated, ...short, ...long])
    assert.equal(hashCode(other), undefined, JSON.stringify(other))
  assert.notDeepEqual(hashCode('K7PWM3XQ9S'), hash)
})

test('codes are found within a longer text, also typed in parts', () => {
  const code = 'K7PWM3XQ9T'
  for (const written of [code, 'k7pwm 3xq9t', 'K7P-WM–3XQ 9T', 'K7PWM, 3XQ9T'])
    for (const text of [written, `The code ${written} of n1`, `"${written}".`])
      assert.ok(
        hashCodesIn(text).some(hash => hashCode(code)?.equals(hash)),
        text,
      )
  assert.deepEqual(hashCodesIn(`${code}2 and no other word`), [])
})
