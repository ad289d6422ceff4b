import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  completeLedgerFile,
  type LedgerEntry,
  ledgerPath,
  readLedgerFile,
} from '../../src/redaction/ledger.ts'

const entry = (id: string): LedgerEntry => ({
  op: 'redact',
  at: '2026-05-20T10:00:00Z',
  fact: { op: 'redact', resource: 'nation', id, data: { motto: null, nation_name: 'Former nation' } },
})
/** The same entry, with its members in the order of PostgreSQL. */
const asStored = ({ op, at, fact }: LedgerEntry): LedgerEntry => ({
  at,
  op,
  fact: Object.fromEntries(Object.entries(fact).reverse()),
})

async function makeDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-ledger-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}

test('entries that a crash kept out of the file are added by the next start, once', async t => {
  const dir = await makeDir(t)
  const stored = [entry('n1'), entry('n2'), entry('n3')].map(asStored)
  await completeLedgerFile(dir, stored.slice(0, 1))
  await completeLedgerFile(dir, stored)
  await completeLedgerFile(dir, stored)
  assert.deepEqual(
    (await readLedgerFile(ledgerPath(dir))).map(({ fact }) => fact.id),
    ['n1', 'n2', 'n3'],
  )
})

test('without redactions there is no file', async t => {
  const dir = await makeDir(t)
  await completeLedgerFile(dir, [])
  await assert.rejects(readFile(ledgerPath(dir)), { code: 'ENOENT' })
})

test('a file that is not a ledger is not changed', async t => {
  const dir = await makeDir(t)
  await writeFile(ledgerPath(dir), 'something else\n')
  await completeLedgerFile(dir, [entry('n1')])
  assert.equal(await readFile(ledgerPath(dir), 'utf8'), 'something else\n')
})

test('an entry with another operation than redact or erase is rejected', async t => {
  const dir = await makeDir(t)
  const reset = { op: 'reset', ended: { id: 'e1', name: 'One' } }
  await writeFile(ledgerPath(dir), `${JSON.stringify({ ...entry('n1'), fact: reset })}\n`)
  await assert.rejects(readLedgerFile(ledgerPath(dir)), /line 1: not an entry/)
})
