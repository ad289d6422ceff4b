import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startEmbedded } from '../../src/store/embedded/embedded-server.ts'
import { migrate } from '../../src/store/migrations.ts'
import { urlOf, withConnection } from '../support/database-url.ts'
import {
  makeServeDir,
  postmasterOf,
  removeServeDir,
  type ServeProcess,
  serveWithRetry,
} from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import type { FaultSchedule } from './support/fault-schedule.ts'
import { killRepeatedly, kills, reportTimes } from './support/kill-repeatedly.ts'
import { type RunningServers, requestPublic } from './support/running-servers.ts'

const databaseDir = makeServeDir()
const dirs = [makeServeDir(), makeServeDir()]
const servers: RunningServers = { up: [] }
let database: Awaited<ReturnType<typeof startEmbedded>>
let receiver: WebhookReceiver

const startDatabase = async () => {
  // With fsync: without it a crash of a backend would lose acknowledged writes.
  database = await startEmbedded({ dataDir: `${databaseDir}/data` })
}
const databaseUrl = () => urlOf(database.connection, 'chancery')
const start = (dir: string) =>
  serveWithRetry(dir, { CHANCERY_DATABASE_URL: databaseUrl(), CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })

before(async () => {
  await startDatabase()
  await migrate({ connectionString: databaseUrl() })
  receiver = await startWebhookReceiver()
  servers.up = await Promise.all(dirs.map(start))
})
after(async () => {
  for (const { child, ended } of servers.up) {
    child.kill('SIGTERM')
    await ended
  }
  await receiver.close()
  await database.close()
  for (const dir of [...dirs, databaseDir]) await removeServeDir(dir)
})

/** A serving process; the backend of a connection; or the whole database, which is then started again. */
const victims = ['process', 'backend', 'database'] as const

async function killProcess(schedule: FaultSchedule): Promise<void> {
  const victim = schedule.pick([0, 1] as const)
  const { child, ended } = servers.up[victim] as ServeProcess
  const left = servers.up.filter((_, place) => place !== victim)
  child.kill('SIGKILL')
  servers.up = left
  await ended
  const started = await start(dirs[victim] as string)
  servers.up = victim === 0 ? [started, ...left] : [...left, started]
}

async function killBackend(schedule: FaultSchedule): Promise<void> {
  const pids = await withConnection(databaseUrl(), async client => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'chancery chancery_%' order by pid`,
    )
    return rows.map(({ pid }) => pid)
  })
  process.kill(schedule.pick(pids), 'SIGKILL')
}

async function killDatabase(): Promise<void> {
  const exited = new Promise(resolve => database.onExit(resolve))
  const postmaster = postmasterOf(databaseDir)
  assert.ok(postmaster)
  process.kill(postmaster, 'SIGKILL')
  await exited
  await database.close()
  await startDatabase()
}

async function kill(victim: (typeof victims)[number], schedule: FaultSchedule): Promise<void> {
  if (victim === 'process') await killProcess(schedule)
  else if (victim === 'backend') await killBackend(schedule)
  else await killDatabase()
}

/** Waits until each process serves requests. */
async function untilAllServe(): Promise<void> {
  for (const served of servers.up)
    await until(
      async () => (await requestPublic(servers, '/game', { from: served })).status === 200,
      'every process serves',
    )
}

test(`two processes and their database killed up to ${kills} times at any moment lose nothing acknowledged`, {
  timeout: 480_000,
}, async t => {
  const recoveryMs = new Map<string, number[]>(victims.map(victim => [victim, []]))
  await killRepeatedly(t, { servers, receiver }, async schedule => {
    const victim = schedule.pick(victims)
    await kill(victim, schedule)
    const upAt = performance.now()
    await untilAllServe()
    recoveryMs.get(victim)?.push(performance.now() - upAt)
  })
  for (const [victim, times] of recoveryMs) reportTimes(t, `${victim}: all serve again`, times)
})
