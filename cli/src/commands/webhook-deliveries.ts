import {
  type BodyOf,
  type DeliveryState,
  deliveryStates,
  operatorOperations,
  type ResponseOf,
} from '@chancery/contract'
import { Option } from 'commander'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { formatCount, formatDue, formatSecond } from '../format.ts'
import { integer, time } from '../options.ts'
import { table } from '../table.ts'
import { firstLine } from '../untrusted-text.ts'

/** Adds `webhooks log` and `webhooks replay`. */
export function addDeliveryCommands(webhooks: ChanceryCommand) {
  webhooks
    .command('log')
    .description('show the deliveries of an endpoint, newest first')
    .argument('<id>', 'id of the endpoint')
    .option('--limit <n>', 'how many deliveries', integer(1, 100), 25)
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(deliveryStates))
    .option('--attempts', 'show every attempt, with the first line of its response', false)
    .prints(showLog)
    .details(`
LAST is the last status of the receiver, or why there was no response; NEXT is when a pending delivery is
retried. Deliveries are kept for 30 days; an event has one delivery per endpoint.

Examples:
  chancery webhooks log whe_5bqk2yVh0TzD
  chancery webhooks log whe_5bqk2yVh0TzD --state failed --attempts
  chancery webhooks log whe_5bqk2yVh0TzD --limit 100 --json`)
  webhooks
    .command('replay')
    .description('deliver again: some deliveries, all failed ones, or the events of a time range')
    .argument('<id>', 'id of the endpoint')
    .argument('[delivery...]', 'ids of deliveries, from chancery webhooks log')
    .option('--failed', 'all deliveries in state failed', false)
    .option('--since <time>', 'events from this time on, delivered before or not', time)
    .option('--until <time>', 'events before this time (default: now)', time)
    .prints(replay)
    .details(`
A replayed event keeps its id. Test events are not replayed: chancery webhooks test sends another one.

Examples:
  chancery webhooks replay whe_5bqk2yVh0TzD dlv_81 dlv_84
  chancery webhooks replay whe_5bqk2yVh0TzD --failed
  chancery webhooks replay whe_5bqk2yVh0TzD --since 2026-03-01T12:00Z --until 2026-03-01T14:00Z`)
}

interface LogOptions {
  limit: number
  state?: DeliveryState
  attempts: boolean
}

async function showLog({ call }: Context, id: string, { attempts, ...query }: LogOptions): Promise<Result> {
  const log = await call(operatorOperations.webhooksDeliveries, { id, query })
  const text =
    log.data.length > 0
      ? logText(log.data, attempts, Date.now())
      : `no deliveries${query.state === undefined ? '' : ' in this state'}`
  return [log, text]
}

type Delivery = ResponseOf<typeof operatorOperations.webhooksDeliveries>['data'][number]
type Attempt = Delivery['attempts'][number]

const responseLengthMax = 60
const head = ['DELIVERY', 'EVENT', 'TYPE', 'STATE', 'TRIES', 'LAST', 'LATENCY', 'WHEN (UTC)', 'NEXT']

/** A line for each delivery, followed by its attempts if they are wanted. */
function logText(deliveries: Delivery[], showsAttempts: boolean, nowMs: number): string {
  const [heading = '', ...lines] = table([head, ...deliveries.map(one => deliveryRow(one, nowMs))]).split(
    '\n',
  )
  if (!showsAttempts) return [heading, ...lines].join('\n')
  const below = deliveries.map(({ attempts }) =>
    attempts.length === 0 ? [] : table(attempts.map(attemptRow)).split('\n'),
  )
  return [heading, ...lines.flatMap((line, index) => [line, ...(below[index] ?? [])])].join('\n')
}

function deliveryRow(delivery: Delivery, nowMs: number) {
  const { id, event_id, type, state, created_at, next_at, attempts } = delivery
  const last = attempts[0]
  return [
    id,
    event_id ?? '-',
    type,
    state,
    String(last?.number ?? 0),
    last ? result(last) : '-',
    last ? `${last.latency_ms} ms` : '-',
    formatSecond(last?.attempted_at ?? created_at),
    next_at === null ? '-' : formatDue(next_at, nowMs),
  ]
}

const attemptRow = (attempt: Attempt) => [
  `    ${attempt.number}`,
  formatSecond(attempt.attempted_at),
  result(attempt),
  `${attempt.latency_ms} ms`,
  firstLine(attempt.answer ?? '', responseLengthMax),
]

const result = ({ status, error }: Attempt) => (status === null ? (error ?? '-') : String(status))

interface ReplayOptions {
  failed: boolean
  since?: string
  until?: string
}

async function replay(
  { call }: Context,
  id: string,
  deliveries: string[],
  options: ReplayOptions,
): Promise<Result> {
  const bodies = replayBodies(deliveries, options, Date.now())
  let queued = 0
  for (const body of bodies) {
    try {
      queued += (await call(operatorOperations.webhooksReplay, { id, body })).queued
    } catch (err) {
      if (!(err instanceof CommandError && 'delivery' in body && bodies.length > 1)) throw err
      const failure = `${body.delivery}: ${err.message}`
      if (queued === 0) throw new CommandError(failure)
      return [{ queued }, queuedText(queued), failure]
    }
  }
  return [{ queued }, queuedText(queued)]
}

/** One request for each delivery, or one for all failed ones or a range. Throws a UsageError for none, and for more than one kind. */
function replayBodies(
  deliveries: string[],
  { failed, since, until }: ReplayOptions,
  nowMs: number,
): BodyOf<typeof operatorOperations.webhooksReplay>[] {
  const kinds = [deliveries.length > 0, failed, since !== undefined].filter(Boolean).length
  if (kinds !== 1)
    throw new UsageError('give what to replay: ids of deliveries, or --failed, or --since TIME')
  if (since === undefined) {
    if (until !== undefined) throw new UsageError('--until requires --since')
    return failed ? [{ failed: true }] : [...new Set(deliveries)].map(delivery => ({ delivery }))
  }
  const end = until ?? new Date(nowMs).toISOString()
  if (Date.parse(since) >= Date.parse(end))
    throw new UsageError(`--since must be before ${until === undefined ? 'now' : '--until'}`)
  return [{ since, until: end }]
}

const queuedText = (queued: number) =>
  queued === 0 ? 'nothing to replay' : `${formatCount(queued, 'delivery', 'deliveries')} queued`
