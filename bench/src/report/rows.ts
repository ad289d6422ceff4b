import type { ContestantId } from '../work.ts'
import { ratioOf } from './ratios.ts'
import type { Results, WorkResult } from './results.ts'
import { medianOf, medianOfKnown } from './statistics.ts'

/** What others are compared with at a work: the simplest that gives the same answer. */
export const measureOf = ({ contestants }: WorkResult): ContestantId | undefined =>
  (['node', 'plain'] as const).find(wanted => contestants.some(({ id }) => id === wanted))

export const headOfWork = (work: WorkResult): string[] => {
  const beside = measureOf(work) === 'node' ? 'of bare node:http' : 'of Fastify + pg'
  return ['', 'calls/s', beside, 'median', 'p99', 'server', 'database', 'busy']
}

/** A line for each contestant: the middle of its rounds. */
export function rowsOfWork(results: Results, work: WorkResult): string[][] {
  const measure = measureOf(work)
  return work.contestants.map(({ id, title, turns }) => {
    const ratio = measure && ratioOf(results, work.id, id, measure)
    const server = medianOfKnown(turns.map(turn => turn.cpuMicroseconds))
    const database = medianOfKnown(turns.map(turn => turn.databaseMicroseconds))
    const busy = medianOfKnown(turns.map(turn => turn.busy))
    return [
      title,
      Math.round(medianOf(turns.map(turn => turn.perSecond))).toLocaleString('en'),
      ratio ? ratio.rate.toFixed(2) : '',
      milliseconds(medianOf(turns.map(turn => turn.p50Ms))),
      milliseconds(medianOf(turns.map(turn => turn.p99Ms))),
      server === null ? '' : `${Math.round(server)} µs`,
      database === null ? '' : `${Math.round(database)} µs`,
      busy === null ? '' : `${Math.round(busy * 100)} %`,
    ]
  })
}

const milliseconds = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
