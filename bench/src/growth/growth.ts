/** `bench growth`: what each list, filter and page costs in worlds of several sizes, and how fast facts are ingested. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeMachine, quantile, today } from '../machine.ts'
import { type Service, startService } from '../servers.ts'
import { ingestFacts, loadWorld, untilRanked } from '../world.ts'
import { type Api, connectApi } from './api.ts'
import { copyFactsPerSecond, ingestFurtherDay, pastTreaties, pastWars, vacuumWorld } from './facts.ts'
import { createQueries, type Query } from './queries.ts'

const days = 5
const pastWarsPerNation = 2
const pastTreatiesPerNation = 1

export interface GrowthOptions {
  /** Folder that keeps the loaded worlds. */
  worlds: string
  sizes: readonly number[]
  /** Only queries whose operation and name contain it. */
  only: string
  command: string
}

export type GrowthResults = Awaited<ReturnType<typeof measureGrowth>>
export type WorldResult = Awaited<ReturnType<typeof measureWorld>>

/** What the pages of a query took in one world. A list that fits on one page has a first page only. */
export interface MeasuredQuery extends Omit<Query, 'path'> {
  total: number | undefined
  pages: Partial<Record<Place, Awaited<ReturnType<typeof sample>>>>
  /** The error, if the query failed. */
  failure?: string
}

export type Place = 'first' | 'middle' | 'last'

export async function measureGrowth({ command, sizes, ...options }: GrowthOptions) {
  const machine = describeMachine()
  const worlds: WorldResult[] = []
  for (const nations of sizes) worlds.push(await measureWorld(nations, nations === sizes.at(-1), options))
  return { measuredOn: today(), command, machine, worlds }
}

/** Combinations of filters are measured in the largest world only. */
async function measureWorld(
  nations: number,
  isLargest: boolean,
  { worlds, only }: Pick<GrowthOptions, 'worlds' | 'only'>,
) {
  const home = join(worlds, String(nations))
  // The bundled PostgreSQL may run as another user, who has to pass through.
  await mkdir(home, { recursive: true, mode: 0o711 })
  const dataDir = join(home, 'data')
  const start = () => startService({ CHANCERY_DATA_DIR: dataDir, CHANCERY_LOG_LEVEL: 'error' })
  const loading = await start()
  const halfAt = await openWorld(loading, home, nations)
  await loading.close()
  await vacuumWorld(dataDir)
  const service = await start()
  const api = connectApi(service.publicUrl)
  const totalOf = async (path: string) => (await api.time(`${path}?limit=1`)).total ?? 0
  const measured = await measureQueries(api, halfAt, ({ operation, name, filters }) => {
    const isMeasured = `${operation} ${name}`.includes(only) && (filters < 2 || isLargest)
    if (isMeasured) console.error(`${nations} nations: ${operation} ${name}`)
    return isMeasured
  })
  const factsPerSecond = only === '' ? await ingestFurtherDay(service, api) : undefined
  const counts = { nations, events: await totalOf('/events'), wars: await totalOf('/wars') }
  await service.close()
  // The COPY writes to the same disk, without the service.
  const ingest = factsPerSecond && { factsPerSecond, copyFactsPerSecond: await copyFactsPerSecond(dataDir) }
  return { ...counts, measured, ingest }
}

/** Measures those of the queries that are wanted, one after another. `effort`: instead of that of their class, for lists. */
export async function measureQueries(
  api: Api,
  halfAt: string,
  isWanted: (query: Query) => boolean,
  effort?: Effort,
): Promise<MeasuredQuery[]> {
  const queries = await createQueries(api, halfAt)
  // Fills the database's cache.
  for (const query of queries.filter(({ filters }) => filters === 0)) await measureQuery(api, query, effort)
  const measured: MeasuredQuery[] = []
  for (const query of queries) if (isWanted(query)) measured.push(await measureQuery(api, query, effort))
  return measured
}

/** Loads the world once and keeps it. Returns the time between its simulated history and the wars that ended before it. */
export async function openWorld(service: Service, home: string, nations: number): Promise<string> {
  const file = join(home, 'half-at')
  let halfAt = await readFile(file, 'utf8').catch(() => undefined)
  if (halfAt === undefined) {
    await loadWorld(service, { nations, days, seed: 1, endsAt: '2026-05-01T00:00:00Z' })
    halfAt = new Date().toISOString()
    await ingestFacts(service, pastWars(nations, nations * pastWarsPerNation))
    await ingestFacts(service, pastTreaties(nations, nations * pastTreatiesPerNation))
    await writeFile(file, halfAt)
  }
  await untilRanked(service)
  return halfAt
}

/** How often a page is requested: at least the minimum, then until the time or the maximum is reached. */
const efforts = {
  flat: { samplesMin: 30, samplesMax: 48, ms: 500 },
  one: { samplesMin: 100, samplesMax: 400, ms: 500 },
  bounded: { samplesMin: 6, samplesMax: 48, ms: 200 },
  pair: { samplesMin: 3, samplesMax: 8, ms: 60 },
  combination: { samplesMin: 2, samplesMax: 4, ms: 30 },
}

interface Effort {
  samplesMin: number
  samplesMax: number
  ms: number
}

const limit = 100
/** Each sample of a page has another size, so that no response is cached. */
const pageSizes = 50

/** A query that fails is a result as well. */
async function measureQuery(api: Api, query: Query, effort?: Effort): Promise<MeasuredQuery> {
  const { path, ...named } = query
  const measuring = query.cost === 'one' ? measureItems(api, query) : measurePages(api, query, effort)
  return measuring.then(
    samples => ({ ...named, ...samples }),
    error => ({ ...named, total: undefined, pages: {}, failure: `${error}` }),
  )
}

type Samples = Pick<MeasuredQuery, 'total' | 'pages'>

async function measureItems(api: Api, { path }: Query): Promise<Samples> {
  const items = await api.sample<{ id: string }>(path.replace('/{id}', ''), 5)
  const first = await sample(efforts.one, index =>
    api.time(path.replace('{id}', items[index % items.length]?.id ?? '')),
  )
  return { total: undefined, pages: { first } }
}

async function measurePages(
  api: Api,
  { path, cost, filters }: Query,
  effort = efforts[filters > 2 ? 'combination' : filters === 2 ? 'pair' : cost],
): Promise<Samples> {
  const { total = 0 } = await api.time(`${path}limit=${limit}`)
  // The last full page: a short one costs less.
  const places: Partial<Record<Place, (size: number) => number>> = {
    first: () => 1,
    ...(total >= 3 * limit && {
      middle: size => Math.ceil(total / size / 2),
      last: size => Math.floor(total / size),
    }),
  }
  const pages: MeasuredQuery['pages'] = {}
  for (const [place, numberOf] of Object.entries(places))
    pages[place as Place] = await sample(effort, index => {
      const size = limit - (index % pageSizes)
      return api.time(`${path}limit=${size}&page=${numberOf(size)}`)
    })
  return { total, pages }
}

/** In milliseconds. The p99 is the slowest of fewer than a hundred samples. */
async function sample(effort: Effort, time: (index: number) => Promise<{ ms: number }>) {
  // Prepares the statements and fills the database's cache.
  await time(0)
  const samples: number[] = []
  const until = performance.now() + effort.ms
  while (
    samples.length < effort.samplesMin ||
    (samples.length < effort.samplesMax && performance.now() < until)
  )
    samples.push((await time(samples.length + 1)).ms)
  return { least: Math.min(...samples), p50: quantile(samples, 0.5), p99: quantile(samples, 0.99) }
}
