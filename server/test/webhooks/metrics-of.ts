import assert from 'node:assert/strict'
import type { Operated } from './owner.ts'

/** The numbers that Prometheus reads, by name and labels as they stand there. */
export async function metricsOf({ operate }: Operated): Promise<Map<string, number>> {
  const response = await operate('GET', '/metrics')
  assert.equal(response.status, 200)
  const lines = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]))
}
