/** `bench http`: one process compared with simpler servers with the same responses, in the same rounds. */
import { type BenchRequest, fetchOnce, headerOf, type RecordedResponse, runWrk } from '../load.ts'
import { describeMachine, rounded, today, versionOf } from '../machine.ts'
import { profileOverhead } from '../overhead.ts'
import { startPostgres, startService } from '../servers.ts'
import { createKeys, findSubjects, loadWorld, whileChanging } from '../world.ts'
import { requestsFor, startTargets } from './targets.ts'
import { createWorkloads, firstPage, type Target, type TargetId, type Workload } from './workloads.ts'

/** Enough that a server never waits for its load. */
const connections = 32
const warmUpSeconds = 2

export interface HttpOptions {
  peers: boolean
  rounds: number
  /** Of one turn. */
  seconds: number
  /** Ids of workloads; empty for all. */
  only: readonly string[]
  nations: number
  command: string
}

/** Starts all servers with one world, and compares their responses at each workload. */
export async function prepareHttp(options: Pick<HttpOptions, 'peers' | 'only' | 'nations'>) {
  const postgres = await startPostgres()
  // Ingests through a process that serves no other requests, on the core of the load.
  const ingest = await startService({ CHANCERY_DATABASE_URL: postgres.url }, 'load')
  await loadWorld(ingest, { nations: options.nations, days: 10, seed: 7, endsAt: '2026-03-01T00:00:00Z' })
  // For the targets that order nations by score; Chancery reads them by rank.
  await postgres.db.query('create index on chancery_world.nation (national_score desc, id)')
  await postgres.db.query('vacuum analyze')
  const subjects = await findSubjects(postgres)
  const keys = await createKeys(ingest, subjects.players)
  const nginxPaths = [`/api/v1${firstPage}`, `/api/v1/nations/${subjects.nations[0]}`]
  const { targets, leftOut } = await startTargets(postgres, { peers: options.peers, nginxPaths })
  const first = await fetchOnce(targets[0]?.url ?? '', { path: `/api/v1${firstPage}` })
  const { only } = options
  const workloads = createWorkloads(subjects, headerOf(first, 'etag') ?? '').filter(
    ({ id }) => only.length === 0 || only.includes(id),
  )
  const runs: Run[] = []
  for (const workload of workloads) runs.push(await prepare(workload, targets, keys))
  return { postgres, ingest, subjects, keys, leftOut, workloads, runs }
}

export async function measureHttp(options: HttpOptions) {
  const machine = describeMachine()
  const { postgres, ingest, subjects, keys, leftOut, workloads, runs } = await prepareHttp(options)
  const { rounds, seconds, command } = options
  const order = { rounds, seconds, databasePid: postgres.pid }
  const [still, changing] = [false, true].map(is =>
    runs.filter(({ workload }) => !!workload.isChanging === is),
  )
  if (still) await runRounds(still, order)
  if (changing?.length) await whileChanging(ingest, subjects.nations, () => runRounds(changing, order))
  const page = workloads.find(({ id }) => id === 'cached-page')
  const overheadOf = async (id: Target['id'], { requests }: Workload) =>
    profileOverhead({
      databaseUrl: postgres.url,
      connections,
      seconds: seconds * 2,
      requests: await requestsFor({ requests }, { id, url: '' }, keys),
    })
  const versions = {
    Node: process.versions.node,
    PostgreSQL: postgres.version,
    wrk: versionOf('wrk', '-v'),
    nginx: versionOf('nginx', '-v'),
    Redis: versionOf('redis-server', '--version'),
  }
  return {
    measuredOn: today(),
    command,
    machine: { ...machine, versions },
    rounds,
    seconds,
    connections,
    world: subjects.counts,
    leftOut,
    workloads: runs.map(({ workload: { id, title }, entries }) => ({
      id,
      title,
      targets: entries.map(entry => entry.result),
    })),
    ...(page && {
      overhead: {
        anonymous: await overheadOf('chancery', page),
        withKeys: await overheadOf('chancery-keys', page),
      },
    }),
  }
}

/** One value for each round. */
interface TargetResult {
  id: TargetId
  title: string
  perSecond: number[]
  p50Ms: number[]
  p99Ms: number[]
  /** Not in results of before 2026-11-26. */
  p999Ms?: number[]
  /** Processor time of a request in microseconds, of the server and of the database; null outside Linux. */
  serverUs: (number | null)[]
  databaseUs: (number | null)[]
  /** Share of its core that the server used: far below 1, something else was the limit. */
  busy: (number | null)[]
}

/** A target of a workload with its requests and results. */
interface Entry {
  target: Target
  requests: BenchRequest[]
  result: TargetResult
}

interface Run {
  workload: Workload
  entries: Entry[]
  /** The entry whose responses the others must equal. */
  source: Entry
}

/** Rejects if a target does not respond as Chancery does. */
async function prepare(workload: Workload, targets: readonly Target[], keys: string[]): Promise<Run> {
  const entries: Entry[] = []
  for (const target of targets) {
    if (!workload.targets.includes(target.id)) continue
    const times = { p50Ms: [], p99Ms: [], p999Ms: [] }
    const measured = { perSecond: [], ...times, serverUs: [], databaseUs: [], busy: [] }
    entries.push({
      target,
      requests: await requestsFor(workload, target, keys),
      result: { id: target.id, title: target.title, ...measured },
    })
  }
  entries.sort(
    (one, other) => workload.targets.indexOf(one.target.id) - workload.targets.indexOf(other.target.id),
  )
  const source = entries.find(({ target: { id } }) => id === 'chancery' || id === 'chancery-keys')
  if (!source) throw new Error(`"${workload.title}" has no responses to compare with`)
  for (const { target, requests } of entries) {
    const reference = (index: number) => {
      const at = Math.floor((index * workload.requests.length) / requests.length)
      const of = Math.floor((at * source.requests.length) / workload.requests.length)
      return fetchOnce(source.target.url, source.requests[of] ?? { path: '/' })
    }
    await target.replay?.(await reference(0))
    await verifyTarget(workload.title, { target, requests }, reference)
  }
  return { workload, entries, source }
}

const comparedMax = 50
/** Headers that differ between requests or servers. */
const varyingHeaders = new Set(['x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'])

/**
 * Sends a sample of a target's requests and compares the responses with Chancery's: byte by byte, headers included for targets that
 * replay, and by the ids of nations for peers with an API of their own. Rejects where they differ.
 */
export async function verifyTarget(
  title: string,
  { target, requests }: { target: Target; requests: readonly BenchRequest[] },
  reference: (index: number) => Promise<RecordedResponse>,
): Promise<void> {
  const isPeer = target.id === 'platformatic' || target.id === 'postgraphile'
  for (const [index, request] of requests.slice(0, target.replay ? 1 : comparedMax).entries()) {
    const response = await fetchOnce(target.url, request)
    const expected = await reference(index)
    const fail = (difference: string) => {
      const body = response.body.toString().slice(0, 300)
      throw new Error(`${target.title} at "${title}", ${request.path}: ${difference}: ${body}`)
    }
    if (response.status !== expected.status) fail(`status ${response.status} instead of ${expected.status}`)
    if (isPeer && nationsIn(response.body) !== nationsIn(expected.body)) fail('different nations')
    if (!isPeer && !response.body.equals(expected.body)) fail('different body')
    if (target.replay && headersOf(response) !== headersOf(expected)) fail('different headers')
  }
}

const headersOf = ({ headers }: RecordedResponse): string =>
  headers
    .filter(([name]) => !varyingHeaders.has(name.toLowerCase()))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .sort()
    .join('\n')

const nationsIn = (body: Buffer): string => (body.toString().match(/"n\d+"/g) ?? []).join(' ')

/** Each target has one turn in each round, so that what slows the machine for a while slows all of them. Round 0 warms up. */
async function runRounds(
  runs: readonly Run[],
  { rounds, seconds, databasePid }: { rounds: number; seconds: number; databasePid: number },
): Promise<void> {
  for (let round = 0; round <= rounds; round += 1) {
    console.error(round === 0 ? 'Warming up' : `Round ${round} of ${rounds}`)
    for (const { workload, entries, source } of runs) {
      // Alternating order: the first in one round is the last in the next.
      for (const { target, requests, result } of round % 2 === 0 ? entries : entries.toReversed()) {
        await target.replay?.(await fetchOnce(source.target.url, source.requests[0] ?? { path: '/' }))
        const measured = await runWrk({
          url: target.url,
          requests,
          connections,
          seconds: round === 0 ? warmUpSeconds : seconds,
          side: 'load',
          pids: [target.pid, databasePid],
        })
        console.error(`  ${workload.id}  ${target.title}: ${Math.round(measured.perSecond)}/s`)
        if (round === 0) continue
        const [server = null, database = null] = measured.cpuSeconds
        const microseconds = (cpu: number | null) => cpu && rounded((cpu * 1e6) / measured.requests)
        result.perSecond.push(rounded(measured.perSecond, 1))
        result.p50Ms.push(rounded(measured.p50Ms, 3))
        result.p99Ms.push(rounded(measured.p99Ms, 3))
        result.p999Ms?.push(rounded(measured.p999Ms, 3))
        result.serverUs.push(microseconds(server))
        result.databaseUs.push(microseconds(database))
        result.busy.push(server && rounded(server / measured.seconds, 3))
      }
    }
  }
}
