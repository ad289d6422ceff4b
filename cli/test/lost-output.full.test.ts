import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isAlive } from '../../server/src/store/embedded/processes.ts'
import {
  makeServeDir,
  operatorToken,
  postmasterOf,
  removeServeDir,
} from '../../server/test/support/serve-process.ts'
import { until } from '../../server/test/support/until.ts'
import { serveVariables, spawnChancery } from './chancery.ts'

let dir: string
before(() => {
  dir = makeServeDir()
})
after(() => removeServeDir(dir))

const variables = () =>
  serveVariables(join(dir, 'data'), { CHANCERY_ADMIN_TOKEN: operatorToken, CHANCERY_LOG_LEVEL: 'info' })

/** Closes both streams at once, as `| head -1` does. */
function closeOutput(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

async function addresses(): Promise<{ public: string; operator: string }> {
  const file = join(dir, 'data', 'addresses.json')
  await until(async () => (await readFile(file, 'utf8').catch(() => '')) !== '', 'it serves', 120_000)
  return JSON.parse(await readFile(file, 'utf8'))
}

const isGone = (pid: number | undefined) => pid === undefined || !isAlive(pid)

describe('a closed output', { skip: process.platform === 'win32' }, () => {
  for (const words of [['serve'], ['demo', '--nations', '50', '--tick-seconds', '0']]) {
    test(`does not stop ${words[0]}: lost log lines are counted, and a signal stops it with its database`, async t => {
      dir = makeServeDir()
      t.after(() => removeServeDir(dir))
      const child = spawnChancery(words, variables())
      const exited = once(child, 'exit')
      closeOutput(child)
      const { public: url, operator } = await addresses()
      assert.equal((await fetch(`${url}/healthz`)).status, 200)
      const metrics = await fetch(`${operator}/metrics`, {
        headers: { authorization: `Bearer ${operatorToken}` },
      })
      const [, dropped] = /^chancery_log_lines_dropped_total (\d+)$/m.exec(await metrics.text()) ?? []
      assert.ok(Number(dropped) >= 1, `${dropped} lines are counted`)
      const postmaster = postmasterOf(dir)
      assert.equal(isGone(postmaster), false)
      child.kill('SIGINT')
      await exited
      assert.equal(isGone(postmaster), true)
    })
  }

  test('stops a command that prints a result, and its database', async () => {
    const child = spawnChancery(['migrate'], variables())
    closeOutput(child)
    const [status, signal] = await once(child, 'exit')
    assert.deepEqual([status, signal], [0, null])
    const postmaster = postmasterOf(dir)
    await until(() => isGone(postmaster), 'the database has ended')
  })
})
