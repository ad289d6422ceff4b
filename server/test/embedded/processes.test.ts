import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { rejectOnEnd } from '../../src/store/embedded/processes.ts'

test('a child that ends early is reported with its status and its last five lines', async () => {
  const script = 'for (let i = 1; i < 9; i += 1) console.error("line", i); process.exitCode = 3'
  const child = spawn(process.execPath, ['--eval', script], { stdio: 'pipe' })
  await assert.rejects(
    rejectOnEnd(child, 'the child did not start'),
    /^Error: the child did not start: exit status 3: line 4 \/ line 5 \/ line 6 \/ line 7 \/ line 8$/,
  )
})

test('a program that is not there is reported as such', async () => {
  const child = spawn('/nowhere/program', { stdio: 'pipe' })
  await assert.rejects(rejectOnEnd(child, 'the child did not start'), /did not start: spawn .* ENOENT$/)
})
