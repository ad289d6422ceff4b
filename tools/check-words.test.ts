import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findWords, parseWords, textFilesIn } from './check-words.ts'

const words = parseWords(`# A comment.
told|tells => send, report; allowed: docs/glossary.md server/src cli/main.ts
door => API; code
`)
const found = (file: string, text: string) =>
  findWords(file, text, words).map(({ line, word }) => `${line} ${word}`)

test('a banned word is found in prose and identifiers, in every form, outside of its allowed places', () => {
  const text = 'It tells all.\nconst isTold = toldBy\nuntold, foretells, TOLD_BY\nthe door'
  assert.deepEqual(found('bench/a.ts', text), ['1 tells', '2 Told', '4 door'])
  assert.deepEqual(found('bench/a.md', text), ['1 tells', '2 Told'])
  for (const file of ['server/src/a.ts', 'cli/main.ts']) assert.deepEqual(found(file, 'told'), [])
  assert.deepEqual(found('docs/glossary.md', 'told'), [])
  assert.deepEqual(found('server/src2/a.ts', 'told'), ['1 told'])
  assert.deepEqual(findWords('bench/a.ts', 'It tells.', words), [
    { file: 'bench/a.ts', line: 1, word: 'tells', use: 'send, report' },
  ])
})

test('a banned word in the path of a file is found, as line 0', () => {
  assert.deepEqual(found('bench/told.test.ts', 'fine\nalso fine'), ['0 told'])
  assert.deepEqual(found('bench/doors/has-door.md', ''), [])
  assert.deepEqual(found('bench/has-door/a.ts', 'a door'), ['0 door', '1 door'])
  assert.deepEqual(found('server/src/told.ts', ''), [])
})

test('a new file is read before it is added, an ignored or binary one never', t => {
  const directory = mkdtempSync(join(tmpdir(), 'chancery-words-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory })
  git('init', '--quiet')
  const files = { '.gitignore': 'ignored.md\n', 'ignored.md': 'told', 'new.md': 'told', 'added.md': 'told' }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text)
  writeFileSync(join(directory, 'image.png'), Buffer.of(0x89, 0, 1))
  git('add', 'added.md')
  assert.deepEqual(textFilesIn(directory).toSorted(), ['.gitignore', 'added.md', 'new.md'])
})
