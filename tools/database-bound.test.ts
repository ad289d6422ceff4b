import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { databaseBound } from './database-bound.ts'

const bound = databaseBound(fileURLToPath(new URL('../', import.meta.url)))

test('a test that makes a database, itself or through what it imports or starts, is bound to it', () => {
  for (const file of [
    'server/test/support/database.test.ts',
    'server/test/ingest/put.test.ts',
    'server/test/limits/redis.test.ts',
    'connect/test/crash.full.test.ts',
    'cli/test/connect.test.ts',
  ])
    assert.ok(bound.includes(file), file)
})

test('a test that meets no database of the run is not', () => {
  for (const file of [
    'cli/test/table.test.ts',
    'cli/test/backup.full.test.ts',
    'server/test/embedded/start.full.test.ts',
    'server/test/webhooks/signature.test.ts',
    'server/test/faults/database.full.test.ts',
  ])
    assert.ok(!bound.includes(file), file)
})
