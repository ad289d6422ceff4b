import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { examplesFile, recordExamples } from './record.ts'

test('recording again gives what is recorded (else: npm run examples)', async () => {
  assert.equal(await recordExamples(), await readFile(examplesFile, 'utf8'))
})
