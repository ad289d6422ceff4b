import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PreviousValues } from '../../src/redaction/previous-values.ts'

function formerly(texts: [string, string | null][], key = 'n5') {
  const former = new PreviousValues(key)
  for (const [text, replacement] of texts) former.add(text, replacement)
  return former
}

test('a former text is replaced everywhere, in any case, the longest first', () => {
  const former = formerly([
    ['Valdoria', 'Former'],
    ['Valdoria Magna', 'Former'],
    ['V.* (x)', 'Former'],
  ])
  assert.equal(former.replaceIn('VALDORIA magna and Valdoria’s heirs'), 'Former and Former’s heirs')
  assert.equal(former.replaceIn('Neovaldorians and V.* (X)'), 'NeoFormerns and Former')
})

test('a short text is replaced only as a whole word', () => {
  const former = formerly([['NP', 'FA']])
  assert.equal(former.replaceIn('[NP] is no NPC; np, Ünp'), '[FA] is no NPC; FA, Ünp')
  assert.deepEqual(former.distinctive, [])
})

test('a text that may be a common word is replaced only as a whole word, unless it was a name as well', () => {
  const former = new PreviousValues('n5')
  for (const title of ['King', 'Élan', 'V. (x)']) former.addWord(title, null)
  assert.equal(
    former.replaceIn('The king of the Kingdom of Ash: Viking, King-King, king’s, Kingé, éKing, King_, 2king'),
    'The … of the Kingdom of Ash: Viking, …-…, …’s, Kingé, éKing, …_, 2king',
  )
  assert.equal(former.replaceIn('ÉLAN, Élans, v. (x), v. (x)s, Pélan'), '…, Élans, …, v. (x)s, Pélan')
  for (const title of ['ガングニル王', 'Bote']) former.addWord(title, null)
  assert.equal(
    former.replaceIn('大ガングニル王が来た。老Bote死了, E\u0301bote'),
    '大…が来た。老…死了, E\u0301bote',
  )
  former.add('King', 'Former')
  former.addWord('KING', null)
  assert.equal(former.replaceIn('Kingdom'), 'Formerdom')
})

test('a removed text leaves a mark; ids used as names and unchanged texts stay', () => {
  const former = formerly([
    ['Why not?', null],
    ['n5', 'Former'],
    ['Same name', 'Same name'],
    ['  ', 'Former'],
  ])
  assert.equal(former.replaceIn('They said: why not? n5  Same name'), 'They said: … n5  Same name')
  assert.deepEqual(former.distinctive, ['Why not?'])
})
