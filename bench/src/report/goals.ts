import type { TargetId } from '../servers.ts'
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

const overheadShareMax = 0.2
const memoryBytesMax = 220 * 1_000_000
/** Mean of the last fifth of the time, relative to that of the second. */
const growthMax = 1.05

export interface GoalResult {
  goal: string
  measured: string
  /** The same ratio by the processor time of a request, which is steadier and decides nothing. */
  byCpuTime: string
  isMet: boolean
}

export function evaluateGoals({ http, memory }: Results): GoalResult[] {
  const results: GoalResult[] = rateGoals.flatMap(([title, min, target, baseline, workloads]) =>
    workloads.flatMap(id => {
      const workload = http?.workloads.find(workload => workload.id === id)
      const ratio = workload && ratioOf(workload, target, baseline)
      if (!ratio) return []
      return {
        goal: `${title}, at least ${min.toFixed(2)}: ${workload.title.charAt(0).toLowerCase()}${workload.title.slice(1)}`,
        measured: ratio.rate.toFixed(2),
        byCpuTime: ratio.cpu === null ? '' : (1 / ratio.cpu).toFixed(2),
        isMet: ratio.rate >= min,
      }
    }),
  )
  if (http?.overhead)
    for (const [callers, { total }] of [
      ['without keys', http.overhead.anonymous],
      ['with keys', http.overhead.withKeys],
    ] as const)
      results.push({
        goal: `Overhead (keys, limits, request log, request id) under ${overheadShareMax * 100} % of a cached response, ${callers}`,
        measured: `${(total * 100).toFixed(1)} %`,
        byCpuTime: '',
        isMet: total < overheadShareMax,
      })
  if (memory) {
    const { early, late, max, perHour } = memory
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
    results.push(
      {
        goal: `A serving process uses less than ${megabytes(memoryBytesMax)} MB, with ${memory.nations.toLocaleString('en')} nations`,
        measured: `${megabytes(max)} MB at most`,
        byCpuTime: '',
        isMet: max < memoryBytesMax,
      },
      {
        goal: `… and no more at the end of ${memory.minutes} minutes than near their beginning`,
        measured: `${megabytes(early)} MB, then ${megabytes(late)} MB; ${(perHour / 1e6).toFixed(1)} MB an hour`,
        byCpuTime: '',
        isMet: late <= early * growthMax,
      },
    )
  }
  return results
}
