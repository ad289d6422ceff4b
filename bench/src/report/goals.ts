import type { ContestantId } from '../work.ts'
import { memoryTrendOf } from './memory-trend.ts'
import { ratioOf } from './ratios.ts'
import type { Results } from './results.ts'

/** What was set out to be reached, as a ratio of two rates in one run. */
interface RateGoal {
  /** Ends "Chancery has at least … times the rate of". */
  of: string
  works: string[]
  one: ContestantId
  other: ContestantId
  atLeast: number
}

const hot = ['hot-list', 'hot-nation', 'not-modified', 'gzip']

const rateGoals: RateGoal[] = [
  { of: 'Chancery to bare node:http', works: hot, one: 'chancery', other: 'node', atLeast: 0.6 },
  {
    of: 'Chancery with keys to bare node:http',
    works: ['hot-list'],
    one: 'chancery-keys',
    other: 'node',
    atLeast: 0.6,
  },
  { of: 'Chancery to nginx from disk', works: hot, one: 'chancery', other: 'nginx', atLeast: 1 },
  {
    of: 'Chancery, limits in Redis, to bare node:http',
    works: ['hot-list', 'hot-nation'],
    one: 'chancery-redis',
    other: 'node',
    atLeast: 0.4,
  },
  {
    of: 'Chancery with keys, limits in Redis, to bare node:http',
    works: ['hot-list'],
    one: 'chancery-redis-keys',
    other: 'node',
    atLeast: 0.4,
  },
  {
    of: 'Chancery to Fastify + pg',
    works: ['nations-still', 'nations-moving'],
    one: 'chancery',
    other: 'plain',
    atLeast: 0.9,
  },
  {
    of: 'Chancery to Platformatic DB',
    works: ['hot-list', 'pages-moving'],
    one: 'chancery',
    other: 'platformatic',
    atLeast: 3,
  },
  {
    of: 'Chancery to PostGraphile',
    works: ['hot-list', 'pages-moving'],
    one: 'chancery',
    other: 'postgraphile',
    atLeast: 5,
  },
]

const guardShareMax = 0.2
const memoryBytesMax = 220 * 1_000_000
/** How much more a service may hold in the last fifth of the time than in the second. */
const growthMax = 1.05

/** A goal and what came of it. */
export interface Verdict {
  goal: string
  measured: string
  /** The same ratio by the processor time that the two servers took for a call. It decides nothing, and is steadier. */
  byProcessorTime: string
  isMet: boolean
}

export function verdictsOn(results: Results): Verdict[] {
  return [...rateVerdicts(results), ...guardVerdicts(results), ...memoryVerdicts(results)]
}

function rateVerdicts(results: Results): Verdict[] {
  return rateGoals.flatMap(({ of, works, one, other, atLeast }) =>
    works.flatMap(work => {
      const title = results.works.find(({ id }) => id === work)?.title
      const ratio = ratioOf(results, work, one, other)
      if (!ratio || title === undefined) return []
      const goal = `${of}, at least ${atLeast.toFixed(2)}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`
      const byProcessorTime = ratio.cpu === null ? '' : (1 / ratio.cpu).toFixed(2)
      return [{ goal, measured: ratio.rate.toFixed(2), byProcessorTime, isMet: ratio.rate >= atLeast }]
    }),
  )
}

function guardVerdicts({ guards }: Results): Verdict[] {
  if (!guards) return []
  const { anonymous, withKeys } = guards
  return [['without keys', anonymous] as const, ['with keys', withKeys] as const].map(
    ([callers, { all }]) => ({
      goal: `Guards (keys, limits, journal, request id) under ${guardShareMax * 100} % of the hot path, callers ${callers}`,
      measured: `${(all * 100).toFixed(1)} %`,
      byProcessorTime: '',
      isMet: all < guardShareMax,
    }),
  )
}

function memoryVerdicts({ memory }: Results): Verdict[] {
  if (!memory) return []
  const { early, late, most, perHour } = memoryTrendOf(memory.samples)
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
  return [
    {
      goal: `A serving process holds less than ${megabytes(memoryBytesMax)} MB, with ${memory.nations.toLocaleString('en')} nations behind it`,
      measured: `${megabytes(most)} MB at most`,
      byProcessorTime: '',
      isMet: most < memoryBytesMax,
    },
    {
      goal: `… and no more at the end of ${memory.minutes} minutes than near their beginning`,
      measured: `${megabytes(early)} MB, then ${megabytes(late)} MB; ${(perHour / 1e6).toFixed(1)} MB an hour`,
      byProcessorTime: '',
      isMet: late <= early * growthMax,
    },
  ]
}
