import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embed, fact, list } from '../src/embed.ts'
import { clean, code, fitLines, italic, name, number } from '../src/text.ts'

const markdown = (text: string) => fitLines([text], 4_000)

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
    assert.equal(markdown(name(given)), expected)
  })

test('invisible characters and changes of direction are removed', () => {
  assert.equal(clean('Val\u200bdo\u202eria\u2066\u0007\u00ad'), 'Valdoria')
  assert.equal(clean('half \ud800 of a pair'), 'half of a pair')
})

test('the marks of a name cannot be forged', () => {
  assert.equal(markdown(name('a\ue001**b**\ue000c')), 'a\\*\\*b\\*\\*c')
})

test('a name with line breaks is one line', () => {
  assert.equal(clean('Val\r\n\r\n# doria\u2028x\u2029y'), 'Val # doria x y')
})

test('a name without visible characters is shown as such', () => {
  for (const empty of ['\u200b\u200b', '\u3164', '\u2800', ' \u202e '])
    assert.equal(markdown(name(empty)), '(no name)')
})

test('marks piled on a letter stay in their line', () => {
  assert.equal(clean(`Z${'\u0335'.repeat(50)}algo`), `Z${'\u0335'.repeat(3)}algo`)
})

test('a name written from right to left does not turn the text beside it', () => {
  assert.equal(markdown(name('שלום')), '\u2068שלום\u2069')
})

test('style surrounds the escaped name, and never comes from it', () => {
  assert.equal(markdown(`${italic('a*b')} of ${name('c_d')} ${code('w`1')}`), '*a\\*b* of c\\_d `w1`')
})

const long = (letter: string, length = 100) => name(letter.repeat(length))

test('text that fits is not changed', () => {
  const { data } = embed({ title: 'Valdoria', fields: [fact('Score', number(1843.25))] })
  assert.deepEqual(data, { title: 'Valdoria', fields: [{ name: 'Score', value: '1,843.25', inline: true }] })
})

test('names of a line that is too long are shortened, and all other words stay', () => {
  const line = fitLines([`${long('a')} declared war on ${long('b')}.`], 80)
  assert.ok(line.length <= 80)
  assert.match(line, /^a{20,}… declared war on b{20,}…\.$/)
})

test('short names keep all their letters while long ones are shortened', () => {
  assert.match(
    fitLines([`${long('a')} declared war on ${name('Karsk')}.`], 60),
    /^a+… declared war on Karsk\.$/,
  )
})

test('a name counts with its escapes', () => {
  const line = fitLines([long('*')], 50)
  assert.ok(line.length <= 50 && line.length >= 40, line)
  assert.match(line, /^(\\\*)+…$/)
})

test('a name is cut between characters, never inside one', () => {
  const thumb = '👍🏽'
  assert.equal(fitLines([long(thumb, 40)], 61).replaceAll(thumb, ''), '…')
})

test('of lines that are too long together each keeps its share', () => {
  const text = fitLines([`${long('a')} won`, `${long('b')} lost`, 'peace'], 120)
  assert.ok(text.length <= 120)
  assert.match(text, /^a{30,}… won\nb{30,}… lost\npeace$/)
})

test('of too many lines the last are dropped, and counted', () => {
  const text = fitLines(
    Array.from({ length: 50 }, () => `${long('a')} won`),
    400,
  )
  assert.ok(text.length <= 400)
  assert.ok(text.endsWith(`… and ${50 - text.split('\n').length + 1} more`), text)
})

test('an embed stays below its limit, and no field of it is empty', () => {
  const fields = Array.from({ length: 30 }, () => list(long('x', 300), [long('y', 2000)]))
  const { data } = embed({ title: long('t', 999), lines: [long('d', 9000)], fields })
  const parts = [
    data.title ?? '',
    data.description ?? '',
    ...(data.fields ?? []).flatMap(({ name, value }) => [name, value]),
  ]
  assert.equal(data.fields?.length, 25)
  assert.ok(parts.join('').length <= 6000, String(parts.join('').length))
  assert.ok(parts.every(part => part.length > 0))
})

test('a field without a value has a dash', () => {
  assert.deepEqual(embed({ fields: [list('', [])] }).data.fields, [{ name: '–', value: '–', inline: false }])
})

test('an address that Discord would reject is left out, and the rest is sent', () => {
  const { data } = embed({ lines: ['x'], url: 'https://', thumbnail: 'https://a b' })
  assert.deepEqual(data, { description: 'x', fields: [] })
})
