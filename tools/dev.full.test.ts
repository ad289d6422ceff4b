import assert from 'node:assert/strict'
import { readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { root, runChancery } from './smoke/running-chancery.ts'

const restartMs = 120_000

test('npm run dev restarts the demo when a source is saved, and ends on SIGTERM', async () => {
  const { url, env, stop } = await runChancery([
    'npm',
    'run',
    'dev',
    '--',
    '--nations',
    '50',
    '--tick-seconds',
    '0',
  ])
  try {
    const now = new Date()
    await utimes(join(root, 'server/src/api.ts'), now, now)
    // Each start listens on another free port.
    assert.notEqual(await nextUrl(env.CHANCERY_DATA_DIR ?? '', url), url)
  } finally {
    await stop()
  }
})

async function nextUrl(dataDir: string, previous: string): Promise<string> {
  const deadline = Date.now() + restartMs
  for (;;) {
    const url = await readFile(join(dataDir, 'addresses.json'), 'utf8').then(
      text => JSON.parse(text).public as string,
      () => previous,
    )
    if (url !== previous && (await fetch(new URL('/readyz', url)).catch(() => undefined))?.ok) return url
    if (Date.now() > deadline) return previous
    await sleep(100)
  }
}
