import { Counter, Histogram, type Registry } from '@prometheus-io/client'
import type { Attempt } from './attempt.ts'

const resultOf: Record<Attempt['result']['state'], string> = {
  delivered: 'delivered',
  pending: 'retried',
  failed: 'failed',
}

/** Makes what counts the attempts of this process. */
export function createAttemptMetrics(registry: Registry): (result: Attempt) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'chancery_webhook_attempts_total',
    help: 'Attempts of this process to deliver: delivered, retried (failed, and due again) or failed (given up).',
    labelNames: ['result'],
    registers,
  })
  const seconds = new Histogram({
    name: 'chancery_webhook_attempt_seconds',
    help: 'Time of attempts to deliver, from the look-up to the end of the answer.',
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 15],
    registers,
  })
  for (const result of Object.values(resultOf)) attempts.inc({ result }, 0)
  return ({ result: { state }, response: answered }) => {
    attempts.inc({ result: resultOf[state] })
    seconds.observe(answered.latencyMs / 1000)
  }
}
