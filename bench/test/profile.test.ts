import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sharesOfBusyTime } from '../src/profile.ts'

/** root -> edge (guard) -> { native, hooks (Fastify) -> answer }, and idle. */
const frames = [
  { id: 1, name: '(root)', url: '', children: [2, 6] },
  { id: 2, name: 'admit', url: '/guard.ts', children: [3, 4] },
  { id: 3, name: 'hash', url: '' },
  { id: 4, name: 'next', url: '/fastify/hooks.js', children: [5] },
  { id: 5, name: 'answer', url: '/answer.ts' },
  { id: 6, name: '(idle)', url: '' },
]
const nameOf = (url: string) =>
  url === '/guard.ts'
    ? 'guard'
    : url === '/fastify/hooks.js'
      ? 'Fastify'
      : url === '/answer.ts'
        ? 'answer'
        : undefined

let directory: string

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  const profile = {
    startTime: 1_000,
    nodes: frames.map(({ id, name, url, children }) => ({
      id,
      callFrame: { functionName: name, url },
      children,
    })),
    // A second of starting, and then 10 of guard, 30 of what it calls, 20 of Fastify, 40 of the answer, 500 of nothing.
    samples: [5, 2, 3, 4, 5, 6],
    timeDeltas: [1_000, 10, 30, 20, 40, 500],
  }
  await writeFile(join(directory, 'a.cpuprofile'), JSON.stringify(profile))
})
after(() => rm(directory, { recursive: true }))

test('what a guard calls is its own, and what goes on behind it is not', async () => {
  const shares = await sharesOfBusyTime(directory, { begin: 2_001, end: 1e9 }, nameOf)
  assert.deepEqual(Object.fromEntries(shares), { guard: 0.4, Fastify: 0.2, answer: 0.4 })
})
