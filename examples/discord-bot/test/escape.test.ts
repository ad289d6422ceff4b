import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clean, escapeMarkdown } from '../src/escape.ts'
import { markdown } from '../src/markdown.ts'
import { code, italic, name, text } from '../src/text.ts'

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

for (const [name_, expected] of written)
  test(`the name ${JSON.stringify(name_)} is shown as it is, and does nothing`, () => {
    assert.equal(markdown([name(name_)]), expected)
  })

test('what nobody sees, or what turns other text around, is taken out', () => {
  assert.equal(clean('Val\u200bdo\u202eria\u2066\u0007\u00ad'), 'Valdoria')
  assert.equal(clean('half \ud800 of a pair'), 'half of a pair')
})

test('a name with line breaks is one line', () => {
  assert.equal(clean('Val\r\n\r\n# doria\u2028x\u2029y'), 'Val # doria x y')
})

test('a name of which nothing can be seen is called so', () => {
  for (const empty of ['\u200b\u200b', '\u3164', '\u2800', ' \u202e '])
    assert.equal(markdown([name(empty)]), '(no name)')
})

test('marks piled on a letter stay in their line', () => {
  assert.equal(clean(`Z${'\u0335'.repeat(50)}algo`), `Z${'\u0335'.repeat(3)}algo`)
})

test('a name written from right to left does not turn what stands beside it', () => {
  assert.equal(escapeMarkdown('שלום'), '\u2068שלום\u2069')
})

test('style stands around what is escaped, and never comes from a name', () => {
  assert.equal(markdown(text`${italic('a*b')} of ${name('c_d')} ${code('w`1')}`), '*a\\*b* of c\\_d `w1`')
})

test('words of the game are escaped like those of players', () => {
  assert.equal(markdown(text`${'Order of the *'} 5`), 'Order of the \\* 5')
})
