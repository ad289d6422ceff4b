import assert from 'node:assert/strict'
import { openSync } from 'node:fs'
import { test } from 'node:test'
import { ended, spawnChancery } from './chancery.ts'

test('a command whose output cannot be written fails with one line', {
  skip: process.platform !== 'linux',
}, async () => {
  const child = spawnChancery(['--help'], {}, ['ignore', openSync('/dev/full', 'w'), 'pipe'])
  const { status, messages } = await ended(child)
  assert.equal(status, 1)
  assert.equal(messages, 'chancery: cannot write to standard output (ENOSPC)\n')
})
