import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from '../src/table.ts'

test('a row of a table is one line with aligned columns, whatever its cells contain', () => {
  const rows = [
    ['two\nlines \u001b[1m', 'c'],
    ['d', 'e'],
  ]
  assert.deepEqual(table(rows).split('\n'), ['two\\nlines \\u001b[1m  c', 'd                     e'])
})

test('a character that takes two columns counts as two', () => {
  assert.equal(
    table([
      ['日本', 'a'],
      ['France', 'b'],
    ]),
    '日本    a\nFrance  b',
  )
})
