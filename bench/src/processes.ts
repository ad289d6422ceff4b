/**
 * `bench processes`: what several processes serve together, and what each costs: idle, cached reads by one to four processes on one port,
 * event streams, and limits in Redis. Counts processor time, because a rate depends on what else the machine does.
 */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { runWrk } from './load.ts'
import { loadAverage, measureCpu, residentBytesOf, rounded, sum } from './machine.ts'
import { type Postgres, type Service, startPostgres, startRedis, startService } from './servers.ts'
import { nationFacts } from './world.ts'

const nations = 1_000
const processesMax = 4
const eventBatches = 10
const eventsPerBatch = 10

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
  const closeServices = async () => {
    for (const service of services.splice(0)) await service.close()
  }

  /** One cached page, over connections that the system distributes. */
  const cachedReads = async () => {
    const load = {
      url: `http://127.0.0.1:${port}`,
      requests: [{ path: '/api/v1/nations?limit=20' }],
      connections: 32,
      seconds,
      pids: [redis.pid, ...services.map(({ pid }) => pid)],
    }
    // Compiling during the first thousands of requests is not part of what a request costs.
    await runWrk(load)
    const { requests, perSecond, cpuSeconds } = await runWrk(load)
    const [redisSeconds = 0, ...each] = cpuSeconds
    const microseconds = (cpu: number | null) => rounded(((cpu ?? 0) / requests) * 1e6, 1)
    return {
      processes: services.length,
      requests,
      per_second: Math.round(perSecond),
      microseconds_a_request: microseconds(sum(each)),
      redis_microseconds_a_request: microseconds(redisSeconds),
      shares: each.map(one => rounded((one ?? 0) / sum(each))),
    }
  }

  const first = await start()
  await first.ingest('world', nationFacts(names('n', nations)))
  const load_before = loadAverage()
  await sleep(3_000)
  const sessions = await sessionsOf(postgres)
  const { cpuSeconds } = await measureCpu([first.pid, ...sessions], () => sleep(idleSeconds * 1000))
  const percent = (values: (number | null)[]) => rounded((sum(values) / idleSeconds) * 100)
  const idle = {
    process_percent_of_a_core: percent(cpuSeconds.slice(0, 1)),
    database_percent_of_a_core: percent(cpuSeconds.slice(1)),
    sessions: sessions.length,
  }
  const cached_reads = [await cachedReads()]
  while (services.length < processesMax) {
    await start()
    cached_reads.push(await cachedReads())
  }
  const sessions_of_four = (await sessionsOf(postgres)).length
  await closeServices()
  // A fresh process: memory that earlier requests freed would hide what streams need.
  const streamed = await measureStreams(await start(), streams)
  await closeServices()
  await start({ CHANCERY_VALKEY_URL: redis.url })
  const limits_in_redis = await cachedReads()
  const load_after = loadAverage()
  return { load_before, idle, cached_reads, sessions_of_four, streams: streamed, limits_in_redis, load_after }
}

async function sessionsOf({ db }: Postgres): Promise<number[]> {
  const { rows } = await db.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  )
  return rows.map(({ pid }) => pid)
}

const dataLine = Buffer.from('\ndata:')

/** What an open stream costs in memory, and an event for each of its clients in processor time. Clients count events without parsing. */
async function measureStreams(service: Service, streams: number) {
  const bytesBefore = await residentBytesOf(service.pid)
  const requests: http.ClientRequest[] = []
  let received = 0
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const url = `${service.publicUrl}/api/v1/events/stream`
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
  while (requests.length < streams)
    await Promise.all(Array.from({ length: Math.min(50, streams - requests.length) }, open))
  const bytes = (await residentBytesOf(service.pid)) - bytesBefore
  const expected = eventBatches * eventsPerBatch * streams
  const { cpuSeconds, seconds } = await measureCpu([service.pid], async () => {
    for (let batch = 0; batch < eventBatches; batch += 1)
      await service.ingest(`streams-${batch}`, nationFacts(names(`stream${batch}-`, eventsPerBatch)))
    while (received < expected) await sleep(20)
  })
  for (const request of requests) request.destroy()
  return {
    streams,
    kilobytes_a_stream: rounded(bytes / streams / 1024, 1),
    microseconds_a_delivered_event: rounded((sum(cpuSeconds) / expected) * 1e6, 1),
    delivered_per_second: Math.round(expected / seconds),
  }
}
