import type { TargetId } from '../http/workloads.ts'
import { count } from '../machine.ts'
import { percent } from './markdown.ts'
import { type Results, ratioOf } from './results.ts'

const cached = ['cached-page', 'cached-nation', 'not-modified', 'gzip']
const listed = ['cached-page', 'pages-changing']

/** A limit of the ratio of two targets at some workloads. */
type RatioGoal = [title: string, limit: number, target: TargetId, baseline: TargetId, workloads: string[]]

/** At least: rates. */
const rateGoals: RatioGoal[] = [
  ['Chancery to bare node:http', 0.6, 'chancery', 'node', cached],
  ['Chancery with keys to bare node:http', 0.6, 'chancery-keys', 'node', ['cached-page']],
  ['Chancery to nginx from disk', 1, 'chancery', 'nginx', cached],
  ['Chancery, limits in Redis, to bare node:http', 0.4, 'chancery-redis', 'node', cached.slice(0, 2)],
  [
    'Chancery with keys, limits in Redis, to bare node:http',
    0.4,
    'chancery-redis-keys',
    'node',
    ['cached-page'],
  ],
  ['Chancery to Fastify + pg', 0.9, 'chancery', 'plain', ['nations-static', 'nations-changing']],
  ['Chancery to Platformatic DB', 3, 'chancery', 'platformatic', listed],
  ['Chancery to PostGraphile', 5, 'chancery', 'postgraphile', listed],
]

const changing = ['nations-changing', 'pages-changing', 'search', 'wars', 'events']

/** At most: p99. */
const tailGoals: RatioGoal[] = [
  ['p99 of Chancery to that of bare Fastify', 1.5, 'chancery', 'fastify', cached],
  ['p99 of Chancery with keys to that of bare Fastify', 1.5, 'chancery-keys', 'fastify', ['cached-page']],
  ['p99 of Chancery to that of Fastify + pg', 1, 'chancery', 'plain', changing],
]

/** At most: the processor time of a request, server and database together. */
const costGoals: RatioGoal[] = [
  [
    'Processor time of Chancery to that of Fastify + pg, server and database',
    1,
    'chancery',
    'plain',
    changing,
  ],
  [
    'Processor time of Chancery with keys to that of Fastify + pg, server and database',
    1,
    'chancery-keys',
    'plain',
    ['own-nation'],
  ],
]

const overheadShareMax = 0.2
const memoryBytesMax = 220 * 1_000_000
/** Median of the last fifth of the time, relative to that of the second. */
const memoryGrowthMax = 1.05
const p99GrowthMax = 1.25

export interface GoalResult {
  goal: string
  measured: string
  /** The same ratio by the processor time of a request, which is steadier and decides nothing. */
  byCpuTime?: string
  isMet: boolean
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)

/** The goals that were measured. */
export function evaluateGoals({ http, memory }: Results): GoalResult[] {
  /** The ratio of two targets at each workload where both were measured. */
  const ratiosAt = (workloads: string[], target: TargetId, baseline: TargetId) =>
    workloads.flatMap(id => {
      const workload = http?.workloads.find(workload => workload.id === id)
      const ratio = workload && ratioOf(workload, target, baseline)
      return ratio
        ? [{ ...ratio, at: `${workload.title.charAt(0).toLowerCase()}${workload.title.slice(1)}` }]
        : []
    })
  const rates = rateGoals.flatMap(([title, min, target, baseline, workloads]) =>
    ratiosAt(workloads, target, baseline).map(({ at, rate, cpu }): GoalResult => {
      const byCpuTime = cpu === null ? '' : (1 / cpu).toFixed(2)
      const goal = `${title}, at least ${min.toFixed(2)}: ${at}`
      return { goal, measured: rate.toFixed(2), byCpuTime, isMet: rate >= min }
    }),
  )
  const atMost = (goals: RatioGoal[], measure: 'p99' | 'cpuWithDatabase') =>
    goals.flatMap(([title, max, target, baseline, workloads]) =>
      ratiosAt(workloads, target, baseline).flatMap(({ at, [measure]: ratio }): GoalResult[] => {
        const goal = `${title}, at most ${max.toFixed(1)}: ${at}`
        return ratio === null ? [] : [{ goal, measured: ratio.toFixed(2), isMet: ratio <= max }]
      }),
    )
  const costs = atMost(costGoals, 'cpuWithDatabase')
  const tails = atMost(tailGoals, 'p99')
  const { anonymous, withKeys } = http?.overhead ?? {}
  const overheads = Object.entries({ 'without keys': anonymous, 'with keys': withKeys }).flatMap(
    ([callers, shares]): GoalResult[] => {
      if (!shares) return []
      const goal = `Overhead (keys, limits, request log, request id) under ${overheadShareMax * 100} % of a cached response, ${callers}`
      return [{ goal, measured: percent(shares.total), isMet: shares.total < overheadShareMax }]
    },
  )
  if (!memory) return [...rates, ...costs, ...tails, ...overheads]
  const { nations, minutes, memory: bytes, p99 } = memory
  return [
    ...rates,
    ...costs,
    ...tails,
    ...overheads,
    {
      goal: `A serving process uses less than ${megabytes(memoryBytesMax)} MB, with ${count(nations)} nations`,
      measured: `${megabytes(bytes.max)} MB at most`,
      isMet: bytes.max < memoryBytesMax,
    },
    {
      goal: `… and no more at the end of ${minutes} minutes than near their beginning`,
      measured: `${megabytes(bytes.early)} MB, then ${megabytes(bytes.late)} MB`,
      isMet: bytes.late <= bytes.early * memoryGrowthMax,
    },
    {
      goal: `… and its p99 is no more than ${p99GrowthMax} times as long then`,
      measured: `${p99.early.toFixed(0)} ms, then ${p99.late.toFixed(0)} ms`,
      isMet: p99.late <= p99.early * p99GrowthMax,
    },
  ]
}
