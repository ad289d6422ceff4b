/** `bench memory`: resident memory of one process under mixed requests, with a world of 100,000 nations that changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchRequest, fetchOnce, runWrk } from './load.ts'
import { mean, residentBytesOf, today } from './machine.ts'
import { startPostgres, startService } from './servers.ts'
import { createKeys, findSubjects, loadWorld, type Subjects, whileChanging } from './world.ts'

/** Resident memory, by seconds since the load began. */
export interface MemorySample {
  second: number
  bytes: number
}

const sampleEveryMs = 5_000
const samplesShown = 12
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
  console.error(`Sampling the memory of a process for ${minutes} minutes`)
  const url = service.publicUrl
  const seconds = minutes * 60
  const load = runWrk({ url, requests, connections: 32, seconds, side: 'load', allowsErrors: true })
  const samples = await whileChanging(ingest, subjects.nations, () => sampleUntil(load, service.pid))
  const { requests: count, errors } = await load
  const every = Math.max(1, Math.floor(samples.length / samplesShown))
  return {
    measuredOn: today(),
    minutes,
    nations: subjects.counts.nations,
    requests: count,
    errors,
    ...memoryTrendOf(samples),
    samples: samples.filter((_, index) => index % every === 0 || index === samples.length - 1),
  }
}

async function sampleUntil(load: Promise<unknown>, pid: number): Promise<MemorySample[]> {
  const samples: MemorySample[] = []
  const startedMs = performance.now()
  const done = new AbortController()
  const end = () => done.abort()
  load.then(end, end)
  while (!done.signal.aborted) {
    const second = Math.round((performance.now() - startedMs) / 1000)
    samples.push({ second, bytes: await residentBytesOf(pid) })
    await sleep(sampleEveryMs, undefined, { signal: done.signal }).catch(() => undefined)
  }
  return samples
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

/** Of bytes over time: the most, and the means of the second and the last fifth of the time. */
export function memoryTrendOf(samples: readonly MemorySample[]) {
  const bytes = samples.map(sample => sample.bytes)
  const fifth = Math.max(1, Math.floor(bytes.length / 5))
  return {
    max: Math.max(...bytes),
    early: mean(bytes.length > 1 ? bytes.slice(fifth, fifth * 2) : bytes),
    late: mean(bytes.slice(-fifth)),
  }
}
