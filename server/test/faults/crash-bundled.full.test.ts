import { after, before, test } from 'node:test'
import { makeServedDir, postmasterOf, removeServedDir, type Served } from '../ingest/served.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import type { Doors } from './front-support/doors.ts'
import { killOften, kills, sayTimes } from './front-support/kill-often.ts'
import { serveAgain } from './front-support/serve-again.ts'

let dir: string
let receiver: Receiver
const doors: Doors = { up: [] }
const start = async () => {
  doors.up = [await serveAgain(dir, { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })]
}

before(async () => {
  dir = makeServedDir()
  receiver = await startReceiver()
  await start()
})
after(async () => {
  for (const { child, ended } of doors.up) {
    child.kill('SIGTERM')
    await ended
  }
  await receiver.close()
  await removeServedDir(dir)
})

/** Who is killed: the server alone, whose database lives on; its database, without which it ends; or both, as when the power fails. */
const victims = ['server', 'database', 'both'] as const

async function kill(victim: (typeof victims)[number], { child, ended }: Served): Promise<void> {
  const postmaster = postmasterOf(dir)
  if (victim !== 'server' && postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
  if (victim !== 'database') child.kill('SIGKILL')
  doors.up = []
  await ended
}

test(`a server and its bundled database killed up to ${kills} times at any moment lose nothing that was acknowledged`, {
  timeout: 480_000,
}, async t => {
  const back: number[] = []
  await killOften(t, { doors, receiver }, async dice => {
    const [served] = doors.up
    if (!served) throw new Error('nobody serves')
    await kill(dice.pick(victims), served)
    const startedAt = performance.now()
    await start()
    back.push(performance.now() - startedAt)
  })
  sayTimes(t, 'up again', back)
})
