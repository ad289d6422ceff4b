import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

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
