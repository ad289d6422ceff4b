import assert from 'node:assert/strict'
import type { OperatorClient } from './owner.ts'

/** The metrics, by name with labels. */
export async function metricsOf({ operate }: OperatorClient): Promise<Map<string, number>> {
  const response = await operate('GET', '/metrics')
  assert.equal(response.status, 200)
  const lines = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]))
}
