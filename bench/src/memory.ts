/** `bench memory`: resident memory and p99 of one process under mixed requests, with a world of 100,000 nations that changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchRequest, fetchOnce, type LoadOptions, runWrk } from './load.ts'
import { median, residentBytesOf, rounded, today } from './machine.ts'
import { startPostgres, startService } from './servers.ts'
import { createKeys, findSubjects, loadWorld, type Subjects, whileChanging } from './world.ts'

/** One minute of the load. */
export interface MinuteSample {
  /** The most resident memory of the process. */
  bytes: number
  p99Ms: number
}

const sampleEveryMs = 5_000
/** So many of the requests hold some of every kind. */
const checkedMax = 400

export async function measureMemory({ minutes, nations }: { minutes: number; nations: number }) {
  const postgres = await startPostgres()
  const ingest = await startService({ CHANCERY_DATABASE_URL: postgres.url }, 'load')
  await loadWorld(ingest, { nations, days: 2, seed: 7, endsAt: '2026-03-01T00:00:00Z' })
  const subjects = await findSubjects(postgres)
  const requests = mixedRequests(subjects, await createKeys(ingest, subjects.players))
  const service = await startService({ CHANCERY_DATABASE_URL: postgres.url }, 'server')
  // Under load a search may be refused for lack of a connection; without it every response is 200.
  for (const request of requests.slice(0, checkedMax)) {
    const { status, body } = await fetchOnce(service.publicUrl, request)
    if (status !== 200) throw new Error(`${request.path}: ${status} ${body}`)
  }
  console.error(`Sampling the memory and the p99 of a process for ${minutes} minutes`)
  const load = {
    url: service.publicUrl,
    requests,
    connections: 32,
    side: 'load',
    allowsErrors: true,
  } as const
  const totals = { requests: 0, errors: 0 }
  const samples: MinuteSample[] = []
  await whileChanging(ingest, subjects.nations, async () => {
    while (samples.length < minutes) {
      const { requests, errors, ...sample } = await sampleMinute(load, service.pid)
      totals.requests += requests
      totals.errors += errors
      samples.push(sample)
    }
  })
  return {
    measuredOn: today(),
    minutes,
    nations: subjects.counts.nations,
    ...totals,
    memory: trendOf(samples.map(({ bytes }) => bytes)),
    p99: trendOf(samples.map(({ p99Ms }) => p99Ms)),
    samples,
  }
}

async function sampleMinute(load: Omit<LoadOptions, 'seconds'>, pid: number) {
  const done = new AbortController()
  const minute = runWrk({ ...load, seconds: 60 }).finally(() => done.abort())
  let bytes = 0
  while (!done.signal.aborted) {
    bytes = Math.max(bytes, await residentBytesOf(pid))
    await sleep(sampleEveryMs, undefined, { signal: done.signal }).catch(() => undefined)
  }
  const { requests, errors, p99Ms } = await minute
  return { requests, errors, bytes, p99Ms: rounded(p99Ms, 1) }
}

/** Nations, pages, wars, events, own nations and a few searches. */
function mixedRequests(
  { nations, atWar, names, eventTypes, counts }: Subjects,
  keys: readonly string[],
): BenchRequest[] {
  const at = (list: readonly string[], index: number) => list[index % list.length]
  const pages = Math.max(1, Math.floor(counts.nations / 25))
  return nations.flatMap((id, index) => {
    const paths = [`/nations/${id}`]
    if (index % 4 === 0) paths.push('/nations?page=1')
    if (index % 8 === 0) paths.push(`/nations?page=${1 + (index % pages)}`)
    if (index % 8 === 2) paths.push(`/wars?status=active&nation_id=${at(atWar, index) ?? id}`)
    if (index % 8 === 4 && eventTypes.length > 0)
      paths.push(`/events?type=${at(eventTypes, index)}&page=${1 + (index % 20)}`)
    if (index % 100 === 0) paths.push(`/nations?search=${at(names, index)}`)
    const requests: BenchRequest[] = paths.map(path => ({ path: `/api/v1${path}` }))
    if (index % 8 === 6)
      requests.push({ path: '/api/v1/me/nation', headers: { authorization: `Bearer ${at(keys, index)}` } })
    return requests
  })
}

/** Of values over time: the most, and the medians of the second and the last fifth of the time. */
export function trendOf(values: readonly number[]) {
  const fifth = Math.max(1, Math.floor(values.length / 5))
  return {
    max: Math.max(...values),
    early: median(values.length > 1 ? values.slice(fifth, fifth * 2) : values),
    late: median(values.slice(-fifth)),
  }
}
