import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { examplesFile, recordExamples } from './record.ts'

test('recorded examples are current (else: npm run examples)', async () => {
  assert.equal(await recordExamples(), await readFile(examplesFile, 'utf8'))
})
