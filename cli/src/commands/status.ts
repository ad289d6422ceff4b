import { operatorOperations, type ResponseOf } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatCount, formatDuration, formatNumber } from '../format.ts'
import { table } from '../table.ts'
import { firstLine } from '../untrusted-text.ts'

export function addStatus(program: ChanceryCommand) {
  program
    .command('status')
    .description('show the state of the service on one screen; exit status 1 if there is a problem')
    .prints(showStatus)
    .details(`
On the machine of the service it needs no settings but its CHANCERY_DATA_DIR, which has the address and the token.
A problem is a database, Redis or sender that does not respond, a view that waits, rankings or webhooks that are
behind, and rejected facts.

Examples:
  chancery status
  chancery status --json
  chancery status || mail -s "Chancery has a problem" operator@example.com`)
}

type Status = ResponseOf<typeof operatorOperations.statusGet>
type Sender = NonNullable<Status['senders']>[number]

async function showStatus({ call, client }: Context): Promise<Result> {
  const status = await call(operatorOperations.statusGet)
  const problems = problemsOf(status)
  const { url } = await client()
  const lines = [
    `${status.game} at ${url}, Chancery ${status.version}`,
    '',
    table(rowsOf(status)),
    ...sendersText(status),
    ...(problems.length > 0 ? ['', ...problems.map(problem => `! ${problem}`)] : []),
  ]
  const failure = problems.length > 0 ? formatCount(problems.length, 'problem') : undefined
  return [{ ...status, problems }, lines.join('\n'), failure]
}

const ago = (seconds: number | null) => (seconds === null ? 'never' : `${formatDuration(seconds * 1000)} ago`)

/** A row for each part. A token without the role for a part does not see it. */
function rowsOf(status: Status): string[][] {
  const { webhook_queue_depth: queue, webhook_endpoints: endpoints } = status
  const rows: [name: string, text: string | undefined | false | null][] = [
    ['database', status.database_up ? `responds (migration ${status.migration})` : 'does not respond'],
    ['limits', status.limits_shared !== undefined && limitsText(status.limits_shared)],
    [
      'world',
      status.world_version !== undefined &&
        `version ${formatNumber(status.world_version)}, ${formatNumber(status.seq ?? 0)} events, last batch ${ago(status.last_batch_age_seconds ?? null)}`,
    ],
    [
      'rankings',
      status.ranking_lag_seconds !== undefined &&
        (status.ranking_lag_seconds === 0
          ? 'up to date'
          : `${formatDuration(status.ranking_lag_seconds * 1000)} behind`),
    ],
    [
      'rejected',
      status.refused_batches !== undefined &&
        (status.refused_batches === 0 ? 'none' : formatCount(status.refused_batches, 'batch', 'batches')),
    ],
    ['set aside', (status.set_aside_facts ?? 0) > 0 && formatCount(status.set_aside_facts ?? 0, 'fact')],
    [
      'webhooks',
      endpoints &&
        queue &&
        `${formatNumber(endpoints.active)} active, ${formatNumber(endpoints.disabled)} disabled; ${formatNumber(queue.answering + queue.slow + queue.failing)} deliveries queued`,
    ],
    ['streams', status.streams_open !== undefined && `${formatNumber(status.streams_open)} open`],
    [
      'requests',
      status.limit_requests !== undefined &&
        (status.limit_requests === 0
          ? 'none for a higher limit'
          : `${formatNumber(status.limit_requests)} for a higher limit: chancery keys requests`),
    ],
  ]
  return rows.flatMap(([name, text]) => (text ? [[name, text]] : []))
}

function limitsText(isShared: boolean | null): string {
  if (isShared === null) return 'of each process'
  return isShared ? 'shared by all processes' : 'of each process: Valkey or Redis does not respond'
}

function sendersText({ senders = [], feeds = [] }: Status): string[] {
  if (senders.length === 0 && feeds.length === 0) return []
  const names = new Set([...senders, ...feeds.map(({ name }) => ({ feed: name }))].map(({ feed }) => feed))
  const rows = [...names].toSorted().map(name => {
    const sender = senders.find(({ feed }) => feed === name)
    const batch = feeds.find(feed => feed.name === name)
    return [
      name,
      sender ? stateText(sender) : 'no heartbeats',
      sender ? ago(sender.read_age_seconds) : '-',
      sender?.rows == null ? '-' : formatNumber(sender.rows),
      sender ? formatNumber(sender.set_aside) : '-',
      batch ? ago(batch.last_batch_age_seconds) : '-',
    ]
  })
  return ['', table([['FEED', 'SENDER', 'LAST READ', 'ROWS', 'QUARANTINED', 'LAST BATCH'], ...rows])]
}

function stateText({
  sender,
  is_overdue,
  next_within_seconds,
  heartbeat_age_seconds,
  error,
}: Sender): string {
  if (is_overdue) return `${sender}: no heartbeat for ${formatDuration(heartbeat_age_seconds * 1000)}`
  if (error !== null) return `${sender}: failing`
  return next_within_seconds === null ? `${sender}: ran once` : `${sender}: runs`
}

/** As in deploy/prometheus/alerts.yaml. */
const rankingLagMaxSeconds = 120
const undeliveredMaxSeconds = 300
const reasonLength = 160

/** What an operator has to look at, a sentence each. */
function problemsOf(status: Status): string[] {
  const { senders = [], webhook_oldest_undelivered_seconds: undelivered } = status
  return [
    ...(status.database_up ? [] : ['the database does not respond']),
    ...(status.limits_shared === false ? ['Valkey or Redis does not respond: limits are per process'] : []),
    ...senders.flatMap(senderProblems),
    ...((status.ranking_lag_seconds ?? 0) > rankingLagMaxSeconds ? ['rankings are behind'] : []),
    ...((status.refused_batches ?? 0) > 0 ? ['facts were rejected: chancery refused list'] : []),
    ...((status.set_aside_facts ?? 0) > 0
      ? ['facts are set aside until they fit: chancery refused list']
      : []),
    ...((undelivered?.answering ?? 0) > undeliveredMaxSeconds ? ['webhook deliveries are behind'] : []),
  ]
}

function senderProblems({ feed, is_overdue, heartbeat_age_seconds, error, waiting_views }: Sender): string[] {
  const waiting = waiting_views.map(({ view, reason }) => `${feed}: ${view} waits: ${reason}`)
  const problems = [
    ...(is_overdue
      ? [`${feed}: its sender has sent no heartbeat for ${formatDuration(heartbeat_age_seconds * 1000)}`]
      : []),
    ...(error === null ? [] : [`${feed}: ${error}`]),
    ...waiting,
  ]
  return problems.map(problem => firstLine(problem, reasonLength))
}
