import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeServedDir, postmasterOf, removeServedDir, type Served } from '../ingest/served.ts'
import { addHearing } from '../webhooks/owner.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { until } from '../webhooks/until.ts'
import { throwDice } from './front-support/dice.ts'
import type { Doors } from './front-support/doors.ts'
import { isFull } from './front-support/full.ts'
import { callLimit, startLife } from './front-support/life.ts'
import { asOperator } from './front-support/operator.ts'
import { serveAgain } from './front-support/serve-again.ts'
import { assertWhole, everything } from './front-support/whole.ts'

const kills = isFull ? 50 : 4
/** A machine that is busy with other things kills fewer, and says so. */
const killingMsMax = isFull ? 180_000 : 40_000

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
  const dice = throwDice()
  t.diagnostic(`CHANCERY_SEED=${dice.seed}`)
  await addHearing(asOperator(doors), receiver.url(everything))
  const { key } = await asOperator(doors).make('/keys', {
    player_id: 'asker',
    name: 'test',
    limit: callLimit,
  })
  const life = startLife(doors, key)
  t.after(() => life.stop().catch(() => undefined))
  const { told } = life
  const back: number[] = []
  const endAt = performance.now() + killingMsMax
  let count = 0
  for (; count < kills && performance.now() < endAt && !life.isOver(); count += 1) {
    const [served] = doors.up
    if (!served) throw new Error('nobody serves')
    const reached = told.batches.length
    await until(() => told.batches.length > reached || life.isOver(), 'a batch is applied', 20_000)
    await sleep(dice.fraction() * 500)
    await kill(dice.pick(victims), served)
    const startedAt = performance.now()
    await start()
    back.push(performance.now() - startedAt)
  }
  await life.stop()
  const events = await assertWhole(doors, told, receiver)
  const doubled = receiver.newsAt(everything).length - events
  t.diagnostic(
    `${count} kills: ${told.batches.length} batches, ${events} events, ${told.codes.length} codes, ${doubled} deliveries came again; up again after ${Math.round(back.toSorted((one, other) => one - other)[back.length >> 1] ?? 0)} ms (median)`,
  )
})
