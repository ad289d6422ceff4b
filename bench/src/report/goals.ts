import type { TargetId } from '../http/workloads.ts'
import { count } from '../machine.ts'
import { percent } from './markdown.ts'
import { type Results, ratioOf } from './results.ts'

const cached = ['cached-page', 'cached-nation', 'not-modified', 'gzip']
const listed = ['cached-page', 'pages-changing']

/** The minimal ratio of the rates of two targets at some workloads. */
const rateGoals: [title: string, min: number, target: TargetId, baseline: TargetId, workloads: string[]][] = [
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

/** The maximal ratio of the p99 of two targets at some workloads. */
const tailGoals: [title: string, max: number, target: TargetId, baseline: TargetId, workloads: string[]][] = [
  ['p99 of Chancery to that of bare Fastify', 1.5, 'chancery', 'fastify', cached],
  ['p99 of Chancery with keys to that of bare Fastify', 1.5, 'chancery-keys', 'fastify', ['cached-page']],
  ['p99 of Chancery to that of Fastify + pg', 1, 'chancery', 'plain', changing],
]

/** The maximal ratio of the processor time of a request, server and database together, of two targets at some workloads. */
const costGoals: [title: string, max: number, target: TargetId, baseline: TargetId, workloads: string[]][] = [
  ['Processor time of Chancery to that of Fastify + pg', 1, 'chancery', 'plain', changing],
  [
    'Processor time of Chancery with keys to that of Fastify + pg',
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
  const costs = costGoals.flatMap(([title, max, target, baseline, workloads]) =>
    ratiosAt(workloads, target, baseline).flatMap(({ at, allCpu }): GoalResult[] => {
      const goal = `${title}, server and database, at most ${max.toFixed(1)}: ${at}`
      return allCpu === null ? [] : [{ goal, measured: allCpu.toFixed(2), isMet: allCpu <= max }]
    }),
  )
  const tails = tailGoals.flatMap(([title, max, target, baseline, workloads]) =>
    ratiosAt(workloads, target, baseline).flatMap(({ at, p99 }): GoalResult[] => {
      const goal = `${title}, at most ${max.toFixed(1)}: ${at}`
      return p99 === null ? [] : [{ goal, measured: p99.toFixed(2), isMet: p99 <= max }]
    }),
  )
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
