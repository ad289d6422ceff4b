import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '../../src/store/embedded/index.ts'
import { migrate } from '../../src/store/migrate.ts'
import { makeServedDir, postmasterOf, removeServedDir, type Served } from '../ingest/served.ts'
import { urlOf, withConnection } from '../support/database-url.ts'
import { addHearing } from '../webhooks/owner.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { until } from '../webhooks/until.ts'
import { type Dice, throwDice } from './front-support/dice.ts'
import { askPublic, type Doors } from './front-support/doors.ts'
import { isFull } from './front-support/full.ts'
import { callLimit, startLife } from './front-support/life.ts'
import { asOperator } from './front-support/operator.ts'
import { serveAgain } from './front-support/serve-again.ts'
import { assertWhole, everything } from './front-support/whole.ts'

const kills = isFull ? 50 : 4
/** A machine that is busy with other things kills fewer, and says so. */
const killingMsMax = isFull ? 180_000 : 40_000

const databaseDir = makeServedDir()
const dirs = [makeServedDir(), makeServedDir()]
const doors: Doors = { up: [] }
let database: Awaited<ReturnType<typeof startEmbedded>>
let receiver: Receiver

const startDatabase = async () => {
  // Without fsync it would acknowledge what a crash of a back end takes with it.
  database = await startEmbedded({ dataDir: `${databaseDir}/data` })
}
const databaseUrl = () => urlOf(database.connection, 'chancery')
const start = (dir: string) =>
  serveAgain(dir, { CHANCERY_DATABASE_URL: databaseUrl(), CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })

before(async () => {
  await startDatabase()
  await migrate({ connectionString: databaseUrl() })
  receiver = await startReceiver()
  doors.up = await Promise.all(dirs.map(start))
})
after(async () => {
  for (const { child, ended } of doors.up) {
    child.kill('SIGTERM')
    await ended
  }
  await receiver.close()
  await database.close()
  for (const dir of [...dirs, databaseDir]) await removeServedDir(dir)
})

/** One of the processes; a connection's own process in the database; or the database as a whole, which is then started again. */
const victims = ['process', 'back end', 'database'] as const

async function killProcess(dice: Dice): Promise<void> {
  const victim = dice.pick([0, 1] as const)
  const { child, ended } = doors.up[victim] as Served
  const left = doors.up.filter((_, place) => place !== victim)
  child.kill('SIGKILL')
  doors.up = left
  await ended
  const started = await start(dirs[victim] as string)
  doors.up = victim === 0 ? [started, ...left] : [...left, started]
}

async function killBackEnd(dice: Dice): Promise<void> {
  const pids = await withConnection(databaseUrl(), async client => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'chancery chancery_%' order by pid`,
    )
    return rows.map(({ pid }) => pid)
  })
  process.kill(dice.pick(pids), 'SIGKILL')
}

async function killDatabase(): Promise<void> {
  const gone = new Promise(resolve => database.onExit(resolve))
  const postmaster = postmasterOf(databaseDir)
  assert.ok(postmaster)
  process.kill(postmaster, 'SIGKILL')
  await gone
  await database.close()
  await startDatabase()
}

async function kill(victim: (typeof victims)[number], dice: Dice): Promise<void> {
  if (victim === 'process') await killProcess(dice)
  else if (victim === 'back end') await killBackEnd(dice)
  else await killDatabase()
}

/** Whether each of them answers again, by itself. */
async function untilAllAnswer(): Promise<void> {
  for (const served of doors.up)
    await until(
      async () => (await askPublic(doors, '/game', undefined, served))?.status === 200,
      'each answers',
      20_000,
    )
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

test(`two processes and their database killed up to ${kills} times at any moment lose nothing that was acknowledged`, {
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
  const back = new Map<string, number[]>(victims.map(victim => [victim, []]))
  const endAt = performance.now() + killingMsMax
  let count = 0
  for (; count < kills && performance.now() < endAt && !life.isOver(); count += 1) {
    const reached = told.batches.length
    await until(() => told.batches.length > reached || life.isOver(), 'a batch is applied', 20_000)
    await sleep(dice.fraction() * 500)
    const victim = dice.pick(victims)
    await kill(victim, dice)
    const upAt = performance.now()
    await untilAllAnswer()
    back.get(victim)?.push(performance.now() - upAt)
  }
  await life.stop()
  const events = await assertWhole(doors, told, receiver)
  const doubled = receiver.newsAt(everything).length - events
  t.diagnostic(
    `${count} kills: ${told.batches.length} batches, ${events} events, ${told.codes.length} codes, ${doubled} deliveries came again`,
  )
  for (const [victim, times] of back)
    if (times.length > 0)
      t.diagnostic(
        `all answered ${Math.round(median(times))} ms (median), ${Math.round(Math.max(...times))} ms (at most) after ${times.length} kills: ${victim}`,
      )
})
