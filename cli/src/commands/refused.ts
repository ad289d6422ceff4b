import { operatorOperations, type ResponseOf, rejectionText } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { UsageError } from '../command-error.ts'
import { formatCount, formatMinute, formatNumber } from '../format.ts'
import { statusWords } from '../ingest-report.ts'
import { feedName, integer } from '../options.ts'
import { listText, table } from '../table.ts'
import { firstLine } from '../untrusted-text.ts'

export function addRefused(program: ChanceryCommand) {
  const rejected = program
    .command('refused')
    .description('list, retry and drop rejected batches (the dead-letter store)')
  rejected
    .command('list')
    .description('list the batches that were rejected and not applied since')
    .option('--feed <name>', 'only of this feed')
    .option('--limit <n>', 'how many (default: 100)', integer(1, 1000))
    .prints(listRejected)
    .details('\nExamples:\n  chancery refused list\n  chancery refused list --feed pull --limit 20')
  rejected
    .command('show')
    .description('show why a batch was rejected, and its facts')
    .argument('<batch>', 'its id')
    .prints(showRejected)
    .details('\nExamples:\n  chancery refused show turn-8818\n  chancery refused show turn-8818 --json')
  rejected
    .command('retry')
    .description('apply a rejected batch unchanged, after its cause was removed')
    .argument('<batch>', 'its id')
    .option('--force', 'also if later facts have changed the same items', false)
    .prints(retryRejected)
    .details(`
A batch with wrong facts is rejected again: let the game send a corrected one with the same id. A batch that
later facts have superseded would revert them; --force applies it anyway.

Examples:
  chancery refused retry turn-8818
  chancery refused retry turn-8818 --force`)
  rejected
    .command('drop')
    .description('delete a rejected batch, or all of a feed, without applying them')
    .argument('[batch]', 'its id')
    .option('--all', 'all rejected batches of the feed', false)
    .option('--feed <name>', 'the feed', feedName)
    .prints(dropRejected)
    .details('\nExamples:\n  chancery refused drop turn-8818\n  chancery refused drop --all --feed pull')
}

const none = '-'
const reasonLength = 60

interface ListOptions {
  feed?: string
  limit?: number
}

type RejectedBatches = ResponseOf<typeof operatorOperations.refusedList>

async function listRejected({ call }: Context, query: ListOptions): Promise<Result> {
  const batches = await call(operatorOperations.refusedList, { query })
  const head = ['BATCH', 'FEED', 'REJECTED', 'TRIES', 'FACTS', 'SUPERSEDED BY', 'FIRST REASON']
  const rows = batches.data.map(batch => [
    batch.id,
    batch.feed ?? none,
    formatMinute(batch.last_refused_at),
    String(batch.tries),
    formatNumber(batch.facts),
    batch.overtaken_by ?? none,
    firstLine(firstReason(batch), reasonLength),
  ])
  const listed = listText(head, rows, 'no rejected batches')
  return [batches, [listed, ...droppedText(batches.dropped)].join('\n')]
}

const droppedText = (dropped: RejectedBatches['dropped']): string[] =>
  dropped.length === 0
    ? []
    : [
        '\nDropped, dead-letter store full:',
        table(
          dropped.map(({ id, feed, facts, is_listed, dropped_at }) => [
            id,
            feed ?? none,
            formatMinute(dropped_at),
            formatCount(facts, 'fact'),
            is_listed ? 'facts only' : 'whole batch',
          ]),
        ),
      ]

/** With the path in the fact: `/national_score must be >= 0`. */
function firstReason({ refusals: [first] }: RejectedBatches['data'][number]): string {
  return first ? rejectionText({ ...first, path: first.path.replace(/^\/data/, '') }) : none
}

/** `line 7, /data/nation_name: must not have more than 100 characters` */
const lineText = ({ line, path, ...problem }: RejectedBatch['refusals'][number]) =>
  `line ${line}${path === '' ? '' : `, ${path}`}: ${rejectionText({ ...problem, path: '' })}`

async function showRejected({ call }: Context, id: string): Promise<Result> {
  const batch = await call(operatorOperations.refusedGet, { id })
  return [batch, textOf(batch)]
}

type RejectedBatch = ResponseOf<typeof operatorOperations.refusedGet>

function textOf(batch: RejectedBatch): string {
  const { facts, bytes, tries, feed, overtaken_by, content } = batch
  return [
    `${batch.id}${feed === null ? '' : ` of feed ${feed}`}: ${formatCount(facts, 'fact')}, ${formatNumber(bytes)} bytes`,
    `rejected ${formatMinute(batch.last_refused_at)} (UTC), ${formatCount(tries, 'try', 'tries')} since ${formatMinute(batch.first_refused_at)}`,
    ...(overtaken_by === null ? [] : [`superseded by ${overtaken_by}: retry requires --force`]),
    '',
    ...batch.refusals.map(rejection => `  ${lineText(rejection)}`),
    '',
    content === null
      ? 'Its facts are not kept (too large, or the dead-letter store was full): the game must send the batch again.'
      : content.trimEnd(),
  ].join('\n')
}

interface RetryOptions {
  force: boolean
}

async function retryRejected({ call }: Context, id: string, { force }: RetryOptions): Promise<Result> {
  const outcome = await call(operatorOperations.refusedRetry, { id, body: { anyway: force } })
  const { status, facts, events, refused: rejections } = outcome
  if (status !== 'applied' && status !== 'duplicate') {
    const [first] = rejections
    return [
      outcome,
      '',
      `${id} is not applied (${statusWords[status]}).${first ? ` ${lineText(first)}` : ''}`,
    ]
  }
  const text = `${id} is applied: ${formatCount(facts, 'fact')}, ${formatCount(events ?? 0, 'event')}`
  return [outcome, text]
}

interface DropOptions {
  all: boolean
  feed?: string
}

async function dropRejected(
  { call }: Context,
  id: string | undefined,
  { all, feed }: DropOptions,
): Promise<Result> {
  if (id !== undefined && !all && feed === undefined) {
    const dropped = await call(operatorOperations.refusedDrop, { id })
    return [dropped, `${dropped.id} is dropped`]
  }
  if (id !== undefined || !all || feed === undefined)
    throw new UsageError('name a batch, or all of a feed: --all --feed NAME')
  const dropped = await call(operatorOperations.refusedDropAll, { query: { feed } })
  return [dropped, `${formatCount(dropped.dropped, 'rejected batch', 'rejected batches')} of ${feed} dropped`]
}
