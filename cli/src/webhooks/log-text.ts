import { fromNow, second } from '../clock.ts'
import type { AttemptRecord, DeliveryRecord } from '../door/delivery-record.ts'
import { beginning } from '../stranger-text.ts'
import { table } from '../table.ts'

const answerLengthMax = 60
const head = ['DELIVERY', 'EVENT', 'TYPE', 'STATE', 'TRIES', 'LAST', 'LATENCY', 'WHEN (UTC)', 'NEXT']

export interface LogTextOptions {
  /** Show every attempt below its delivery. */
  attempts: boolean
  nowMs: number
}

/** A line for each delivery. */
export function logText(deliveries: DeliveryRecord[], { attempts, nowMs }: LogTextOptions): string {
  const [heading = '', ...lines] = table([head, ...deliveries.map(one => row(one, nowMs))]).split('\n')
  if (!attempts) return [heading, ...lines].join('\n')
  const below = deliveries.map(({ attempts }) =>
    attempts.length === 0 ? [] : table(attempts.map(attemptRow)).split('\n'),
  )
  return [heading, ...lines.flatMap((line, index) => [line, ...(below[index] ?? [])])].join('\n')
}

function row({ id, event_id, type, state, created_at, next_at, attempts }: DeliveryRecord, nowMs: number) {
  const last = attempts[0]
  return [
    id,
    event_id ?? '-',
    type,
    state,
    String(last?.number ?? 0),
    last ? outcome(last) : '-',
    last ? `${last.latency_ms} ms` : '-',
    second(last?.attempted_at ?? created_at),
    next_at === null ? '-' : fromNow(next_at, nowMs),
  ]
}

const attemptRow = (attempt: AttemptRecord) => [
  `    ${attempt.number}`,
  second(attempt.attempted_at),
  outcome(attempt),
  `${attempt.latency_ms} ms`,
  beginning(attempt.answer ?? '', answerLengthMax),
]

const outcome = ({ status, error }: AttemptRecord) => (status === null ? (error ?? '-') : String(status))
