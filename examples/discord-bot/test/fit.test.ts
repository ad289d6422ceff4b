import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fit, fitLine, fitLines, linesLength } from '../src/fit.ts'
import { markdown } from '../src/markdown.ts'
import { fact, list } from '../src/reply.ts'
import { name, plain, text } from '../src/text.ts'

const long = (letter: string, length = 100) => name(letter.repeat(length))

test('what fits stays as it is', () => {
  const reply = { embeds: [{ title: plain('Valdoria'), fields: [fact('Score', text`${1843.25}`)] }] }
  assert.deepEqual(fit(reply), reply)
})

test('of a line that is too long the names give, and every word of ours stays', () => {
  const line = markdown(fitLine(text`${long('a')} declared war on ${long('b')}.`, 80))
  assert.ok(line.length <= 80)
  assert.match(line, /^a{20,}… declared war on b{20,}…\.$/)
})

test('names that are short keep all their letters while long ones give', () => {
  const line = markdown(fitLine(text`${long('a')} declared war on ${name('Karsk')}.`, 60))
  assert.match(line, /^a+… declared war on Karsk\.$/)
})

test('a name is counted as it is written, with what escapes it', () => {
  const line = markdown(fitLine([long('*')], 50))
  assert.ok(line.length <= 50 && line.length >= 48, line)
  assert.match(line, /^(\\\*)+…$/)
})

test('a name is cut between characters, never inside one', () => {
  const family = '👍🏽'
  const line = markdown(fitLine([name(family.repeat(40))], 61))
  assert.equal(line.replaceAll(family, ''), '…')
})

test('of lines that are too long together each gives its share', () => {
  const lines = fitLines([text`${long('a')} won`, text`${long('b')} lost`, plain('peace')], 120)
  assert.ok(linesLength(lines) <= 120)
  const written = lines.map(markdown)
  assert.match(written[0] ?? '', /^a{30,}… won$/)
  assert.match(written[1] ?? '', /^b{30,}… lost$/)
  assert.equal(written[2], 'peace')
})

test('of too many lines the last go, and it is said how many', () => {
  const lines = fitLines(
    Array.from({ length: 50 }, () => text`${long('a')} won`),
    400,
  )
  assert.ok(linesLength(lines) <= 400)
  assert.match(markdown(lines.at(-1) ?? []), new RegExp(`^… and ${50 - lines.length + 1} more$`))
})

test('a whole message stays below its limit, and no field of it is empty', () => {
  const fields = Array.from({ length: 30 }, () => list('x'.repeat(300), [[long('y', 2000)]]))
  const { embeds } = fit({ embeds: [{ title: plain('t'.repeat(999)), lines: [[long('d', 9000)]], fields }] })
  const [embed] = embeds
  const written = [
    markdown(embed?.title ?? []),
    (embed?.lines ?? []).map(markdown).join('\n'),
    ...(embed?.fields ?? []).flatMap(of => [markdown(of.name), of.lines.map(markdown).join('\n')]),
  ]
  assert.equal(embed?.fields?.length, 25)
  assert.ok(written.join('').length <= 6000, String(written.join('').length))
  assert.ok(written.every(part => part.length > 0))
})

test('a field without a value says so', () => {
  const { embeds } = fit({ embeds: [{ fields: [list('', [])] }] })
  assert.deepEqual(embeds[0]?.fields, [{ name: plain('–'), lines: [plain('–')] }])
})
