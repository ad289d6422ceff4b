import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EmbedBuilder, embedLength, inlineCode, italic } from 'discord.js'
import { addFields, address, gameTerms, list } from '../src/format.ts'
import { clean, curve, fitLines, name, plainName } from '../src/text.ts'

const written: [string, string][] = [
  ['@everyone', '@\u200beveryone'],
  ['@here', '@\u200bhere'],
  ['<@123>', '\\<@\u200b123>'],
  ['<@&123>', '\\<@\u200b&123>'],
  ['<#123>', '\\<#123>'],
  ['<:smile:123>', '\\<:smile:123>'],
  ['</wars:1>', '\\</wars:1>'],
  ['[x](http://evil.example)', '\\[x\\](http\\://evil.example)'],
  ['https://evil.example', 'https\\://evil.example'],
  ['`code`', '\\`code\\`'],
  ['**bold** __under__ ~~gone~~', '\\*\\*bold\\*\\* \\_\\_under\\_\\_ \\~\\~gone\\~\\~'],
  ['||spoiler||', '\\|\\|spoiler\\|\\|'],
  ['# Heading', '\\# Heading'],
  ['> quote', '\\> quote'],
  ['- item', '\\- item'],
  ['1. item', '1\\. item'],
  ['back\\slash', 'back\\\\slash'],
  ['Valdoria', 'Valdoria'],
]

for (const [given, expected] of written)
  test(`the name ${JSON.stringify(given)} is shown as it is, and has no effect`, () => {
    assert.equal(name(given), expected)
  })

test('invisible characters and changes of direction are removed', () => {
  assert.equal(clean('Val\u200bdo\u202eria\u2066\u0007\u00ad'), 'Valdoria')
  assert.equal(clean('half \ud800 of a pair'), 'half of a pair')
})

test('a name with line breaks is one line', () => {
  assert.equal(clean('Val\r\n\r\n# doria\u2028x\u2029y'), 'Val # doria x y')
})

test('a name without visible characters is shown as such', () => {
  for (const empty of ['\u200b\u200b', '\u3164', '\u2800', ' \u202e ']) assert.equal(name(empty), '(no name)')
})

test('marks piled on a letter stay in their line', () => {
  assert.equal(clean(`Z${'\u0335'.repeat(50)}algo`), `Z${'\u0335'.repeat(3)}algo`)
})

test('private characters are removed', () => {
  assert.equal(name('a\ue001**b**\ue000c'), 'a\\*\\*b\\*\\*c')
})

test('a name written from right to left does not turn the text beside it', () => {
  assert.equal(name('שלום'), '\u2068שלום\u2069')
})

test('a label of the game is escaped as a name is, and so is a key without a label', async () => {
  const ranks = [{ key: 'boss', label: '**Boss** of the *' }]
  const terms = await gameTerms({ game: { get: async () => ({ ranks }) } } as unknown as Parameters<
    typeof gameTerms
  >[0])
  assert.equal(terms.label('ranks', 'boss'), '\\*\\*Boss\\*\\* of the \\*')
  assert.equal(terms.label('ranks', 'the_*'), 'The \\*')
})

test('style surrounds the escaped name, and never comes from it', () => {
  assert.equal(`${italic(name('a*b'))} of ${name('c_d')} ${inlineCode('w1')}`, '_a\\*b_ of c\\_d `w1`')
})

test('a name that fits is not shortened', () => {
  assert.equal(name('Valdoria', 8), 'Valdoria')
  assert.equal(name('Valdorian', 8), 'Valdori…')
})

test('a name counts with its escapes', () => {
  const shown = name('*'.repeat(100), 50)
  assert.ok(shown.length <= 50 && shown.length >= 48, shown)
  assert.match(shown, /^(\\\*)+…$/)
})

test('a name is cut between characters, never inside one', () => {
  const thumb = '👍🏽'
  for (const max of [60, 61, 62, 63])
    for (const cut of [name, plainName]) {
      const shown = cut(thumb.repeat(40), max)
      assert.equal(shown.replaceAll(thumb, ''), '…')
      assert.ok(shown.length <= max && shown.length > max - 5, String(shown.length))
    }
})

test('of too many lines the last are dropped, and counted', () => {
  const text = fitLines(
    Array.from({ length: 50 }, () => `${'a'.repeat(20)} won`),
    400,
  )
  assert.ok(text.length <= 400)
  assert.ok(text.endsWith(`… and ${50 - text.split('\n').length + 1} more`), text)
})

test('an embed stays below its limit, and no field of it is empty', () => {
  const fields = Array.from({ length: 30 }, () => list(name('x'.repeat(300)), [name('y'.repeat(500), 300)]))
  const { data } = addFields(new EmbedBuilder().setDescription(name('d'.repeat(9_000), 2_000)), fields)
  assert.ok(embedLength(data) <= 6_000 && embedLength(data) > 5_500, String(embedLength(data)))
  assert.ok(data.fields?.every(({ name, value }) => name !== '' && value !== ''))
  const short = Array.from({ length: 30 }, () => list('x', ['y']))
  assert.equal(addFields(new EmbedBuilder(), short).data.fields?.length, 25)
})

test('a field without a value has a dash', () => {
  assert.deepEqual(list('Roles', []), { name: 'Roles', value: '–' })
})

test('an address that Discord would reject is left out', () => {
  for (const url of ['https://', 'https://a b', 'ftp://game.example', null]) assert.equal(address(url), null)
  assert.equal(address('https://game.example/n1'), 'https://game.example/n1')
})

test('a curve has the lowest value at the bottom and the highest at the top', () => {
  assert.equal(curve([10, 12, 17, 3]), '▅▆█▁')
  assert.equal(curve([5, 5]), '▁▁')
  assert.equal(curve([]), '')
})
