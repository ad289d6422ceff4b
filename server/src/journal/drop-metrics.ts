import { Counter, type Registry } from '@prometheus-io/client'
import type { Dropped } from './request-log.ts'

/** Makes what counts calls that the journal leaves out. */
export function createDropMetrics(registry: Registry): (what: Dropped, calls: number) => void {
  const dropped = new Counter({
    name: 'chancery_journal_dropped_total',
    help: 'Calls that the request journal has no line of (line), or that are missing from the counts of usage (count).',
    labelNames: ['what'],
    registers: [registry],
  })
  for (const what of ['line', 'count'] satisfies Dropped[]) dropped.inc({ what }, 0)
  return (what, calls) => dropped.inc({ what }, calls)
}
