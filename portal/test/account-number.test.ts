import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAccountNumber } from '../src/verify/account-number.ts'

test('an account number is 5 to 20 digits, also pasted with blanks or as a mention', () => {
  for (const typed of [
    '80351110224678912',
    ' 80351110224678912\n',
    '80351 110224 678912',
    '<@80351110224678912>',
  ])
    assert.deepEqual(readAccountNumber(typed), { number: '80351110224678912' }, typed)
  for (const number of ['12345', '1'.repeat(20)]) assert.deepEqual(readAccountNumber(number), { number })
  for (const none of ['', '  ']) assert.deepEqual(readAccountNumber(none), { number: '' })
})

test('what cannot be an account number is rejected with the reason', () => {
  const names = [
    'Karsk',
    'karsk#1234',
    '@karsk',
    'me@example.org',
    '80351x',
    '-80351',
    '8.0351',
    '٨٠٣٥١',
    '<@>',
    '<#80351>',
  ]
  for (const name of names) {
    const read = readAccountNumber(name)
    assert.ok('problem' in read && /only digits/.test(read.problem), name)
  }
  for (const number of ['1', '1234', '1'.repeat(21)]) {
    const read = readAccountNumber(number)
    assert.ok('problem' in read && read.problem.endsWith(`this one has ${number.length}.`), number)
  }
})
