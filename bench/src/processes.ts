/**
 * `bench processes`: what several processes serve together, and what each costs: idle, cached reads by one to four processes on one port,
 * event streams, and limits in Redis. Counts processor time, because a rate depends on what else the machine does.
 */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { runWrk } from './load.ts'
import { freePort, loadAverage, measureCpu, residentBytesOf, rounded } from './machine.ts'
import { type Postgres, type Service, startPostgres, startRedis, startService } from './servers.ts'
import { nationFacts } from './world.ts'

const connections = 32
const nations = 1_000
const processesMax = 4
const eventBatches = 10
const eventsPerBatch = 10

const sum = (values: readonly (number | null)[]) =>
  values.reduce<number>((total, one) => total + (one ?? 0), 0)
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

export interface ProcessesOptions {
  /** Of each load. */
  seconds: number
  idleSeconds: number
  streams: number
}

export async function measureProcesses({ seconds, idleSeconds, streams }: ProcessesOptions): Promise<object> {
  const postgres = await startPostgres()
  const redis = await startRedis()
  const port = await freePort()
  const services: Service[] = []
  const start = async (env: Record<string, string> = {}) => {
    const service = await startService({
      CHANCERY_DATABASE_URL: postgres.url,
      CHANCERY_PORT: `${port}`,
      CHANCERY_SHARE_PORTS: 'true',
      CHANCERY_STREAMS_PER_IP: '100000',
      CHANCERY_LOG_LEVEL: 'error',
      ...env,
    })
    services.push(service)
    return service
  }
  const pids = () => services.map(({ pid }) => pid)
  const load = () =>
    runWrk({
      url: `http://127.0.0.1:${port}`,
      requests: [{ path: '/api/v1/nations?limit=20' }],
      connections,
      seconds,
    })

  /** One cached page, over connections that the system distributes. */
  const cachedReads = async () => {
    // Compiling during the first thousands of requests is not part of what a request costs.
    await load()
    const { value, cpuSeconds } = await measureCpu([...pids(), redis.pid], load)
    const [redisSeconds = 0] = cpuSeconds.splice(-1)
    const total = sum(cpuSeconds)
    return {
      redisSeconds,
      figures: {
        processes: services.length,
        requests: value.requests,
        per_second: Math.round(value.perSecond),
        microseconds_a_request: rounded((total / value.requests) * 1e6, 1),
        shares: cpuSeconds.map(one => rounded((one ?? 0) / total)),
      },
    }
  }

  const first = await start()
  await first.ingest('world', nationFacts(names('n', nations)))
  const load_before = rounded(loadAverage(), 1)
  await sleep(3_000)
  const sessions = await sessionsOf(postgres)
  const idle = await measureCpu(pids(), () => measureCpu(sessions, () => sleep(idleSeconds * 1000)))
  const percent = (values: (number | null)[]) => rounded((sum(values) / idleSeconds) * 100)
  const reads = []
  for (let count = 1; count <= processesMax; count += 1) {
    if (services.length < count) await start()
    reads.push((await cachedReads()).figures)
  }
  const sessions_of_four = (await sessionsOf(postgres)).length
  for (const service of services.splice(0)) await service.close()

  // A fresh process: memory that earlier requests freed would hide what streams need.
  const streamed = await measureStreams(await start(), streams)
  await services.pop()?.close()

  await start({ CHANCERY_VALKEY_URL: redis.url })
  const { redisSeconds, figures } = await cachedReads()
  return {
    load_before,
    idle: {
      process_percent_of_a_core: percent(idle.cpuSeconds),
      database_percent_of_a_core: percent(idle.value.cpuSeconds),
      sessions: sessions.length,
    },
    cached_reads: reads,
    sessions_of_four,
    streams: streamed,
    limits_in_redis: {
      ...figures,
      redis_microseconds_a_request: rounded(((redisSeconds ?? 0) / figures.requests) * 1e6, 1),
    },
    load_after: rounded(loadAverage(), 1),
  }
}

const sessionsOf = async ({ db }: Postgres): Promise<number[]> =>
  (
    await db.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    )
  ).rows.map(({ pid }) => pid)

/** What an open stream costs in memory, and an event for each of its clients in processor time. */
async function measureStreams(service: Service, count: number) {
  const bytesBefore = (await residentBytesOf(service.pid)) ?? 0
  const clients = await openStreams(`${service.publicUrl}/api/v1/events/stream`, count)
  const bytes = ((await residentBytesOf(service.pid)) ?? 0) - bytesBefore
  const expected = eventBatches * eventsPerBatch * count
  const { cpuSeconds, seconds } = await measureCpu([service.pid], async () => {
    for (let batch = 0; batch < eventBatches; batch += 1)
      await service.ingest(`streams-${batch}`, nationFacts(names(`stream${batch}-`, eventsPerBatch)))
    while (clients.received() < expected) await sleep(20)
  })
  clients.close()
  return {
    streams: count,
    kilobytes_a_stream: rounded(bytes / count / 1024, 1),
    microseconds_a_delivered_event: rounded((sum(cpuSeconds) / expected) * 1e6, 1),
    delivered_per_second: Math.round(expected / seconds),
  }
}

const dataLine = Buffer.from('\ndata:')

/** Clients that count events, without parsing them. */
async function openStreams(
  url: string,
  count: number,
): Promise<{
  /** By all clients together. */
  received(): number
  close(): void
}> {
  const requests: http.ClientRequest[] = []
  let received = 0
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const request = http.get(url, { agent: false }, response => {
        if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`))
        response.on('error', () => undefined)
        response.on('data', (part: Buffer) => {
          for (let at = part.indexOf(dataLine); at !== -1; at = part.indexOf(dataLine, at + 1)) received += 1
        })
        resolve()
      })
      request.on('error', reject)
      requests.push(request)
    })
  for (let opened = 0; opened < count; opened += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - opened) }, open))
  return {
    received: () => received,
    close() {
      for (const request of requests) request.on('error', () => undefined).destroy()
    },
  }
}
