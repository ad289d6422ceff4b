/** `bench growth`: what each list, filter and page costs in worlds of several sizes, and how fast facts are ingested. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { bases, limits } from '@chancery/contract'
import { Client } from 'undici'
import { describeMachine } from '../machine.ts'
import { format, fromRoot } from '../report/write.ts'
import { type Service, startService } from '../servers.ts'
import { ingestFacts, loadWorld, untilRanked } from '../world.ts'
import { copyFactsPerSecond, ingestFurtherDay, pastWars } from './facts.ts'
import { type Measured, measureQuery } from './measure.ts'
import { type GrowthResults, pageOf, type WorldResult } from './page.ts'
import { type Api, createQueries } from './queries.ts'

const days = 5
const pastWarsPerNation = 2

export interface GrowthOptions {
  /** Folder that keeps the loaded worlds. */
  worlds: string
  sizes: readonly number[]
  /** Only queries whose operation and name contain it. */
  only: string
  writes: boolean
  command: string
}

export async function measureGrowth(options: GrowthOptions): Promise<string> {
  const results: GrowthResults = {
    measuredOn: new Date().toISOString().slice(0, 10),
    command: options.command,
    machine: describeMachine(),
    worlds: [],
  }
  await mkdir(options.worlds, { recursive: true, mode: 0o711 })
  for (const nations of options.sizes)
    results.worlds.push(await measureWorld(nations, nations === options.sizes.at(-1), options))
  const page = pageOf(results)
  if (options.writes) {
    const file = fromRoot('docs/operations/growth.md')
    await writeFile(file, page)
    await format(file)
  }
  return page
}

/** Combinations of filters are measured in the largest world only. */
async function measureWorld(
  nations: number,
  isLargest: boolean,
  { worlds, only }: GrowthOptions,
): Promise<WorldResult> {
  const home = join(worlds, String(nations))
  // The bundled PostgreSQL may run as another user, who has to pass through.
  await mkdir(home, { recursive: true, mode: 0o711 })
  const dataDir = join(home, 'data')
  const service = await startService({ CHANCERY_DATA_DIR: dataDir, CHANCERY_LOG_LEVEL: 'error' })
  const api = connectApi(service.publicUrl)
  const halfAt = await openWorld(service, home, nations)
  const totalOf = async (path: string) =>
    (await api.read<{ pagination: { total: number } }>(`${path}?limit=1`)).pagination.total
  const queries = await createQueries(api, halfAt)
  for (const query of queries.filter(({ filters }) => filters === 0)) await measureQuery(api, query)
  const measured: Measured[] = []
  for (const query of queries) {
    if (!`${query.operation} ${query.name}`.includes(only) || (query.filters > 1 && !isLargest)) continue
    console.error(`${nations} nations: ${query.operation} ${query.name}`)
    measured.push(await measureQuery(api, query))
  }
  const factsPerSecond = only === '' ? await ingestFurtherDay(service, api, nations) : undefined
  const result: WorldResult = {
    nations,
    events: await totalOf('/events'),
    wars: await totalOf('/wars'),
    ingest: factsPerSecond === undefined ? undefined : { factsPerSecond, copyFactsPerSecond: 0 },
    measured,
  }
  await api.close()
  await service.close()
  // On the same disk, without the service.
  if (result.ingest) result.ingest.copyFactsPerSecond = await copyFactsPerSecond(dataDir)
  return result
}

/** Loads the world once and keeps it. Returns the time between its simulated history and the wars that ended before it. */
async function openWorld(service: Service, home: string, nations: number): Promise<string> {
  const file = join(home, 'half-at')
  let halfAt = await readFile(file, 'utf8').catch(() => undefined)
  if (halfAt === undefined) {
    await loadWorld(service, { nations, days, seed: 1, endsAt: '2026-05-01T00:00:00Z' })
    halfAt = new Date().toISOString()
    await ingestFacts(service, Readable.from(pastWars(nations, nations * pastWarsPerNation)))
    await writeFile(file, halfAt)
  }
  await untilRanked(service)
  return halfAt
}

/** One connection with one request at a time. */
function connectApi(url: string): Api & { close(): Promise<void> } {
  const client = new Client(url, { bodyTimeout: 60_000, headersTimeout: 60_000 })

  /** Retries a 503 as a caller would; the wait counts. */
  async function bodyOf(path: string, retriesLeft = 5): Promise<string> {
    const { statusCode, body } = await client.request({ method: 'GET', path: bases.canonical + path })
    const text = await body.text()
    if (statusCode === 503 && retriesLeft > 0) {
      await new Promise(resolve => setTimeout(resolve, limits.retryAfterUnavailableSeconds * 1_000))
      return bodyOf(path, retriesLeft - 1)
    }
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`)
    return text
  }

  return {
    async time(path) {
      const startedMs = performance.now()
      const text = await bodyOf(path)
      const ms = performance.now() - startedMs
      return { ms, total: (JSON.parse(text) as { pagination?: { total: number } }).pagination?.total }
    },
    read: async path => JSON.parse(await bodyOf(path)) as never,
    close: () => client.close(),
  }
}
