import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cleanEnvironment, ended } from './chancery.ts'

const bin = fileURLToPath(new URL('../bin/chancery.js', import.meta.url))
const installed = '/usr/bin/node'
const isOld =
  existsSync(installed) &&
  Number.parseInt(spawnSync(installed, ['-p', 'process.versions.node']).stdout.toString(), 10) < 24
const skip = isOld ? false : 'no Node older than 24 at /usr/bin/node'

const run = (words: string[], script = bin) =>
  spawn(installed, [script, ...words], { env: cleanEnvironment() })

test('an older Node starts the pinned one, with arguments, streams and exit status', { skip }, async () => {
  const help = await ended(run(['simulate', '--help']))
  assert.equal(help.status, 0)
  assert.match(help.output, /Usage: chancery simulate/)
  const wrong = await ended(run(['simulate', '--nations', 'x y']))
  assert.equal(wrong.status, 2)
  assert.match(wrong.messages, /'x y' is invalid/)
})

test('a signal to the wrapper reaches the command, and both end by it', { skip }, async () => {
  const child = run(['simulate', '--nations', '20000', '--days', '400', '--ends-at', '2026-03-01'])
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [status, signal] = await once(child, 'exit')
  assert.deepEqual([status, signal], [null, 'SIGTERM'])
})

test('without a recent Node the error is one line', { skip }, async t => {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-cli-'))
  t.after(() => rm(dir, { recursive: true }))
  await cp(bin, join(dir, 'bin', 'chancery.mjs'))
  const { status, messages } = await ended(run(['--help'], join(dir, 'bin', 'chancery.mjs')))
  assert.equal(status, 1)
  assert.match(messages, /^chancery: needs Node 24 or newer \(this is v\d+\.\d+\.\d+\).*\n$/)
})
