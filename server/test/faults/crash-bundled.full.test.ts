import { after, before, test } from 'node:test'
import {
  makeServeDir,
  postmasterOf,
  removeServeDir,
  type ServeProcess,
  serveWithRetry,
} from '../support/serve-process.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { killRepeatedly, kills, reportTimes } from './support/kill-repeatedly.ts'
import type { RunningServers } from './support/running-servers.ts'

let dir: string
let receiver: WebhookReceiver
const servers: RunningServers = { up: [] }
const start = async () => {
  servers.up = [await serveWithRetry(dir, { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })]
}

before(async () => {
  dir = makeServeDir()
  receiver = await startWebhookReceiver()
  await start()
})
after(async () => {
  for (const { child, ended } of servers.up) {
    child.kill('SIGTERM')
    await ended
  }
  await receiver.close()
  await removeServeDir(dir)
})

/** The server alone, whose database continues; its database, without which the server exits; or both, as in a power failure. */
const victims = ['server', 'database', 'both'] as const

async function kill(victim: (typeof victims)[number], { child, ended }: ServeProcess): Promise<void> {
  const postmaster = postmasterOf(dir)
  if (victim !== 'server' && postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
  if (victim !== 'database') child.kill('SIGKILL')
  servers.up = []
  await ended
}

test(`a server and its bundled database killed up to ${kills} times at any moment lose nothing acknowledged`, {
  timeout: 480_000,
}, async t => {
  const recoveryMs: number[] = []
  await killRepeatedly(t, { servers, receiver }, async schedule => {
    const [served] = servers.up
    if (!served) throw new Error('no process is serving')
    await kill(schedule.pick(victims), served)
    const startedAt = performance.now()
    await start()
    recoveryMs.push(performance.now() - startedAt)
  })
  reportTimes(t, 'up again', recoveryMs)
})
