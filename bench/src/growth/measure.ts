import { quantile } from '../machine.ts'
import type { Api, CostClass, Query } from './queries.ts'

export type Place = 'first' | 'middle' | 'last'

/** In milliseconds. The p99 is the slowest of fewer than a hundred samples. */
export interface Timing {
  p50: number
  p99: number
}

/** What the pages of a query took in one world. A list that fits on one page has a first page only. */
export interface Measured extends Omit<Query, 'path'> {
  total: number | undefined
  pages: Partial<Record<Place, Timing>>
  /** The error, if the query failed. */
  failure?: string
}

interface Effort {
  samplesMin: number
  samplesMax: number
  /** Beyond the minimum, sampling ends after it. */
  ms: number
}

const efforts: Record<CostClass, Effort> = {
  flat: { samplesMin: 30, samplesMax: 48, ms: 500 },
  one: { samplesMin: 100, samplesMax: 400, ms: 500 },
  bounded: { samplesMin: 6, samplesMax: 48, ms: 200 },
}
const pairEffort: Effort = { samplesMin: 3, samplesMax: 8, ms: 60 }
const combinationEffort: Effort = { samplesMin: 2, samplesMax: 4, ms: 30 }

const limit = 100
/** Each sample of a page has another size, so that no response is cached. */
const pageSizes = Array.from({ length: 50 }, (_, index) => limit - index)

/** A query that fails is a result as well. */
export async function measureQuery(api: Api, query: Query): Promise<Measured> {
  const { path, ...named } = query
  try {
    return { ...named, ...(await (query.cost === 'one' ? measureItems : measurePages)(api, query)) }
  } catch (error) {
    return {
      ...named,
      total: undefined,
      pages: {},
      failure: error instanceof Error ? error.message : `${error}`,
    }
  }
}

type Samples = Pick<Measured, 'total' | 'pages'>

async function measureItems(api: Api, { path }: Query): Promise<Samples> {
  type Page = { data: { id: string }[]; pagination: { total: number } }
  const list = path.replace('/{id}', '')
  const { total } = (await api.read<Page>(`${list}?limit=1`)).pagination
  const pages = Math.max(1, Math.floor(total / limit))
  const ids: string[] = []
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const page = 1 + Math.floor((pages - 1) * share)
    ids.push(...(await api.read<Page>(`${list}?limit=${limit}&page=${page}`)).data.map(({ id }) => id))
  }
  let next = 0
  const first = await sample(efforts.one, () =>
    api.time(path.replace('{id}', ids[next++ % ids.length] ?? '')),
  )
  return { total: undefined, pages: { first } }
}

async function measurePages(api: Api, { path, cost, filters }: Query): Promise<Samples> {
  const { total = 0 } = await api.time(`${path}limit=${limit}`)
  // The last full page: a short one costs less.
  const places: Partial<Record<Place, (size: number) => number>> = {
    first: () => 1,
    ...(total >= 3 * limit && {
      middle: size => Math.ceil(total / size / 2),
      last: size => Math.floor(total / size),
    }),
  }
  const effort = filters > 2 ? combinationEffort : filters === 2 ? pairEffort : efforts[cost]
  const pages: Measured['pages'] = {}
  for (const [place, numberOf] of Object.entries(places)) {
    let next = 0
    pages[place as Place] = await sample(effort, () => {
      const size = pageSizes[next++ % pageSizes.length] ?? limit
      return api.time(`${path}limit=${size}&page=${numberOf(size)}`)
    })
  }
  return { total, pages }
}

async function sample(
  { samplesMin, samplesMax, ms }: Effort,
  time: () => Promise<{ ms: number }>,
): Promise<Timing> {
  // Prepares the statements and fills the database's cache.
  await time()
  const samples: number[] = []
  const until = performance.now() + ms
  while (samples.length < samplesMin || (samples.length < samplesMax && performance.now() < until))
    samples.push((await time()).ms)
  return { p50: quantile(samples, 0.5), p99: quantile(samples, 0.99) }
}

/** Milliseconds that the p99 of a first page and of any other page may take. */
export const bounds = { first: 150, any: 600 }
/** A list is flat if its pages, and the first one of the smallest world, are within this factor of each other or this many milliseconds. */
export const flatness = { factor: 1.3, ms: 1 }

/** What a query misses of its cost class, or undefined. `small`: the same query in the smallest world. */
export function missOf(measured: Measured, small: Measured | undefined): string | undefined {
  if (measured.failure !== undefined) return measured.failure.slice(0, 200)
  const { first, ...others } = measured.pages
  if (measured.cost === 'bounded') {
    if (first && first.p99 > bounds.first) return `page 1 takes ${first.p99.toFixed(0)} ms`
    const slow = Object.entries(others).find(([, { p99 }]) => p99 > bounds.any)
    return slow && `the ${slow[0]} page takes ${slow[1].p99.toFixed(0)} ms`
  }
  // By medians: a p99 of a millisecond is the machine's.
  const costs = Object.entries(measured.pages).map(([place, { p50 }]) => ({ name: `${place} page`, ms: p50 }))
  if (small?.pages.first) costs.push({ name: 'small world', ms: small.pages.first.p50 })
  costs.sort((one, other) => one.ms - other.ms)
  const [least, most] = [costs.at(0), costs.at(-1)]
  if (!least || !most || most.ms <= least.ms * flatness.factor || most.ms - least.ms <= flatness.ms)
    return undefined
  return `${most.name} ${most.ms.toFixed(1)} ms, ${least.name} ${least.ms.toFixed(1)} ms`
}
