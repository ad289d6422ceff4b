import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createLog } from '../../server/src/telemetry/log.ts'
import { logCalls } from './log-calls.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = await readFile(join(root, 'docs/operations/logs.md'), 'utf8')

/** The cells of the rows of all tables. No message contains a pipe. */
const rows = page
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| -'))
  .map(line => line.split('|').map(cell => cell.trim()))
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

/** Fields of every log line. */
const always = ['level', 'time', 'msg']

test('the page lists exactly the messages that the service logs, with levels and fields', () => {
  const documented = rows
    .filter(cells => cells.length === 6 && cells[1] !== 'Level')
    .map(([, levels, message, fields]) => ({
      levels: levels?.split(', '),
      message: namesIn(message)[0],
      fields: namesIn(fields),
    }))
  const written = logCalls(root).map(({ levels, message, fields }) => ({ levels, message, fields }))
  assert.ok(written.length > 5)
  const sorted = (lines: { message?: string | undefined }[]) =>
    lines.toSorted((one, other) => ((one.message ?? '') < (other.message ?? '') ? -1 : 1))
  assert.deepEqual(sorted(documented), sorted(written))
})

test('the page explains exactly the fields that are logged', () => {
  const explained = rows
    .filter(cells => cells.length === 4 && cells[1] !== 'Field')
    .flatMap(cells => namesIn(cells[1]))
  const written = new Set([...always, ...logCalls(root).flatMap(({ fields }) => fields)])
  assert.deepEqual(explained.sort(), [...written].sort())
})

test('every line has the fields that the page states, and the levels have the numbers of the page', () => {
  for (const [level, number] of [...page.matchAll(/(\d\d) (fatal|error|warn|info|debug|trace)/g)].map(
    ([, number, level]) =>
      [level as 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', Number(number)] as const,
  )) {
    let line = ''
    const write = (text: string) => {
      line = text
    }
    createLog('trace', { write })[level]('text')
    assert.deepEqual(Object.keys(JSON.parse(line)), always)
    assert.equal(JSON.parse(line).level, number)
  }
})
