/**
 * `node bench/src/many.ts`: what several processes carry together, and what each one costs. Processor time is what it counts: a
 * rate is that of the machine, and of what else it does. Needs wrk, redis-server and a PostgreSQL on this machine, by default
 * postgres://postgres@127.0.0.1:5432/postgres (`--database-url`).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cpuSecondsOf, residentBytesOf } from './cpu-seconds.ts'
import { createBenchDatabase } from './many/database.ts'
import { load } from './many/load.ts'
import { openReaders } from './many/streams.ts'

import { type Served, serve } from './served.ts'

const { values: options } = parseArgs({
  options: {
    'database-url': { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    port: { type: 'string', default: '28080' },
    'redis-port': { type: 'string', default: '28379' },
    streams: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '6' },
  },
})
const seconds = Number(options.seconds)
const nations = 1_000
const connections = 32
const idleSeconds = 20

const database = await createBenchDatabase(options['database-url'])
const redis = spawn('redis-server', ['--port', options['redis-port'], '--bind', '127.0.0.1', '--save', ''], {
  stdio: 'ignore',
})
const members: Served[] = []
const start = (more: Record<string, string> = {}) =>
  serve({
    CHANCERY_DATABASE_URL: database.url,
    CHANCERY_PORT: options.port,
    CHANCERY_SHARE_PORTS: 'true',
    CHANCERY_ANONYMOUS_LIMIT: '100000000',
    CHANCERY_STREAMS_PER_IP: '100000',
    CHANCERY_LOG_LEVEL: 'error',
    ...more,
  })
const timesOf = (pids: number[]) => Promise.all(pids.map(async pid => (await cpuSecondsOf(pid)) ?? 0))
const sum = (list: number[]) => list.reduce((total, one) => total + one, 0)
const round = (value: number, digits = 2) => Number(value.toFixed(digits))
const founded = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    op: 'put',
    resource: 'nation',
    data: {
      id: `${prefix}${index}`,
      nation_name: `${prefix} ${index}`,
      leader_name: 'Leader',
      national_score: index,
    },
  }))

const hotPage = () => `${members[0]?.publicUrl}/api/v1/nations?limit=20`

/** What a process compiles in its first thousands of calls is not what a call costs. */
const warmUp = () => load(hotPage(), { connections, seconds })

/** One page that is remembered, over connections that the system shares out. */
async function hotReads() {
  const pids = members.map(({ pid }) => pid)
  const before = await timesOf(pids)
  const { calls, perSecond } = await load(hotPage(), { connections, seconds })
  const used = (await timesOf(pids)).map((time, index) => time - (before[index] ?? 0))
  return {
    processes: members.length,
    calls,
    per_second: Math.round(perSecond),
    microseconds_a_call: round((sum(used) / calls) * 1e6, 1),
    shares: used.map(time => round(time / sum(used))),
  }
}

async function idle() {
  const pids = members.map(({ pid }) => pid)
  const [before, sessionsBefore] = [await timesOf(pids), await database.sessions()]
  await sleep(idleSeconds * 1000)
  const sessions = await database.sessions()
  return {
    process_percent_of_a_core: round(((sum(await timesOf(pids)) - sum(before)) / idleSeconds) * 100),
    database_percent_of_a_core: round(
      ((sessions.cpuSeconds - sessionsBefore.cpuSeconds) / idleSeconds) * 100,
    ),
    sessions: sessions.count,
  }
}

async function streams(member: Served) {
  const count = Number(options.streams)
  const bytesBefore = (await residentBytesOf(member.pid)) ?? 0
  const readers = await openReaders(`${member.publicUrl}/api/v1/events/stream`, count)
  const bytes = ((await residentBytesOf(member.pid)) ?? 0) - bytesBefore
  const [cpuBefore = 0] = await timesOf([member.pid])
  const startedMs = performance.now()
  const events = 100
  for (let batch = 0; batch < 10; batch += 1)
    await member.operate(
      'POST',
      '/facts',
      { facts: founded(`stream${batch}-`, events / 10) },
      { 'idempotency-key': `streams-${batch}` },
    )
  while (readers.told() < events * count) await sleep(20)
  const tookMs = performance.now() - startedMs
  const [cpu = 0] = await timesOf([member.pid])
  readers.close()
  return {
    streams: count,
    kilobytes_a_stream: round(bytes / count / 1024, 1),
    microseconds_an_event_told: round(((cpu - cpuBefore) / (events * count)) * 1e6, 1),
    told_per_second: Math.round((events * count) / (tookMs / 1000)),
  }
}

try {
  members.push(await start())
  const [first] = members as [Served]
  await first.operate('POST', '/facts', { facts: founded('n', nations) }, { 'idempotency-key': 'world' })
  const document: Record<string, unknown> = { load_before: round(loadavg()[0] ?? 0, 1) }
  await sleep(3_000)
  document.idle = await idle()
  const reads = []
  for (let count = 1; count <= 4; count += 1) {
    if (members.length < count) members.push(await start())
    await warmUp()
    reads.push(await hotReads())
  }
  document.hot_reads = reads
  document.sessions_of_four = (await database.sessions()).count
  for (const member of members.splice(0)) await member.close()

  // What was read before would hide what streams need.
  const teller = await start()
  members.push(teller)
  document.streams = await streams(teller)
  await members.pop()?.close()

  members.push(await start({ CHANCERY_VALKEY_URL: `redis://127.0.0.1:${options['redis-port']}` }))
  await warmUp()
  const [redisBefore = 0] = await timesOf([Number(redis.pid)])
  const shared = await hotReads()
  const [redisAfter = 0] = await timesOf([Number(redis.pid)])
  document.limits_in_redis = {
    ...shared,
    redis_microseconds_a_call: round(((redisAfter - redisBefore) / shared.calls) * 1e6, 1),
  }
  document.load_after = round(loadavg()[0] ?? 0, 1)
  console.log(JSON.stringify(document, null, 2))
} finally {
  for (const member of members) await member.close()
  const ended = once(redis, 'exit')
  redis.kill()
  await ended
  await database.drop()
}
