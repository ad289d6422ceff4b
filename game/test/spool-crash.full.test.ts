import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { useTestServer } from '../../server/test/support/fixture.ts'
import { openSender } from '../src/index.ts'

const chancery = useTestServer()
const program = fileURLToPath(new URL('./sending-process.ts', import.meta.url))
const rounds = 12

/** Newest first. */
async function foundedNations(): Promise<string[]> {
  const founded: string[] = []
  for (let page = 1; ; page += 1) {
    const { data } = await chancery.read<{ data: { nation_ids: string[] }[] }>(
      `/events?type=nation.founded&limit=100&page=${page}`,
    )
    if (data.length === 0) return founded
    founded.push(...data.flatMap(({ nation_ids }) => nation_ids))
  }
}

test('whatever kills the process, each batch that was stored is applied exactly once and in order', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-game-'))
  t.after(() => rm(folder, { recursive: true }))
  const spool = join(folder, 'spool')
  const stored: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const child = spawn(process.execPath, [program, chancery.operatorUrl, spool, `round-${round}`], {
      env: { ...process.env, CHANCERY_OPERATOR_TOKEN: chancery.operatorToken },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      if (lines.length === 5 + round) child.kill('SIGKILL')
    }
    await ended
    stored.push(...lines)
  }
  const last = await openSender({
    url: chancery.operatorUrl,
    token: chancery.operatorToken,
    spool,
    log: () => {},
  })
  await last.flush()
  await last.close()
  const inOrder = (await foundedNations()).toReversed()
  assert.equal(new Set(inOrder).size, inOrder.length)
  const known = new Set(stored)
  assert.deepEqual(
    inOrder.filter(id => known.has(id)),
    stored,
  )
})
