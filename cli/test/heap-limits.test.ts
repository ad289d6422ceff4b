import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

test('the command, the image and the units start a service with the same heap limits of V8', async () => {
  for (const path of [
    'cli/bin/chancery.js',
    'Dockerfile',
    'deploy/systemd/chancery.service',
    'deploy/systemd/chancery@.service',
  ]) {
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    assert.match(text, /--max-semi-space-size=16\b/, path)
    assert.match(text, /--max-old-space-size=1024\b/, path)
  }
})

const probe = `data:text/javascript,${encodeURIComponent(`
  import { getHeapStatistics } from 'node:v8'
  if (process.argv[1].endsWith('main.js')) {
    console.log(JSON.stringify({ flags: process.execArgv, limit: getHeapStatistics().heap_size_limit }))
    process.exit()
  }`)}`

/** The flags of the process that serves, and its heap limit in MB. */
async function servingWith(options: string) {
  const command = fileURLToPath(new URL('../bin/chancery.js', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'serve'], {
    env: { ...process.env, NODE_OPTIONS: `--import=${probe} ${options}` },
  })
  const { flags, limit } = JSON.parse(stdout) as { flags: string[]; limit: number }
  return { flags, limitMb: limit / 1_048_576 }
}

test('NODE_OPTIONS may set another limit', async () => {
  const own = await servingWith('')
  assert.deepEqual(own.flags, ['--max-semi-space-size=16', '--max-old-space-size=1024'])
  const other = await servingWith('--max-old-space-size=700')
  assert.deepEqual(other.flags, ['--max-semi-space-size=16'])
  assert.ok(other.limitMb < own.limitMb && other.limitMb > 700, `${other.limitMb} ${own.limitMb}`)
})
