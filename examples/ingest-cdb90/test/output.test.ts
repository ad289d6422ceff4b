import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { command, run } from './command.ts'
import { writeTables } from './small-tables.ts'

test('a reader that closes the pipe early is not an error', async t => {
  const child = spawn(process.execPath, [command, writeTables(t)], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })
  assert.deepEqual([await once(child, 'close'), stderr], [[0, null], ''])
})

test('output that cannot be written is an error', async t => {
  if (!existsSync('/dev/full')) return t.skip('no /dev/full here')
  const shell = spawn('/bin/sh', [
    '-c',
    '"$0" "$1" "$2" > /dev/full',
    process.execPath,
    command,
    writeTables(t),
  ])
  let stderr = ''
  shell.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })
  const [status] = await once(shell, 'close')
  assert.equal(status, 1)
  assert.match(stderr, /^standard output: ENOSPC[^\n]*\n$/)
})

test('a second run writes the same bytes', t => {
  const directory = writeTables(t)
  const first = run(directory)
  assert.notEqual(first.stdout, '')
  assert.deepEqual(run(directory), first)
})
