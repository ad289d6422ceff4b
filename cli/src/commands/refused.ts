import { operatorOperations, type ResponseOf, rejectionText } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatCount, formatMinute, formatNumber } from '../format.ts'
import { integer } from '../options.ts'
import { listText, table } from '../table.ts'
import { firstLine } from '../untrusted-text.ts'

export function addRefused(program: ChanceryCommand) {
  const refused = program
    .command('refused')
    .description('list, retry and drop refused batches (the dead-letter store)')
  refused
    .command('list')
    .description('list the batches that were refused and not applied since')
    .option('--feed <name>', 'only of this feed')
    .option('--limit <n>', 'how many (default: 100)', integer(1, 1000))
    .prints(listRefused)
    .details('\nExamples:\n  chancery refused list\n  chancery refused list --feed pull --limit 20')
  refused
    .command('show')
    .description('show why a batch was refused, and its facts')
    .argument('<batch>', 'its id')
    .prints(showRefused)
    .details('\nExamples:\n  chancery refused show turn-8818\n  chancery refused show turn-8818 --json')
  refused
    .command('retry')
    .description('apply a refused batch unchanged, after its cause was removed')
    .argument('<batch>', 'its id')
    .option('--force', 'also if later facts have changed the same items', false)
    .prints(retryRefused)
    .details(`
A batch with wrong facts is refused again: let the game send a corrected one with the same id. A batch that
later facts have superseded would revert them; --force applies it anyway.

Examples:
  chancery refused retry turn-8818
  chancery refused retry turn-8818 --force`)
  refused
    .command('drop')
    .description('delete a refused batch without applying it')
    .argument('<batch>', 'its id')
    .prints(dropRefused)
    .details('\nExamples:\n  chancery refused drop turn-8818')
}

const none = '-'
const reasonLength = 60

interface ListOptions {
  feed?: string
  limit?: number
}

type RefusedBatches = ResponseOf<typeof operatorOperations.refusedList>

async function listRefused({ call }: Context, query: ListOptions): Promise<Result> {
  const batches = await call(operatorOperations.refusedList, { query })
  const head = ['BATCH', 'FEED', 'REFUSED', 'TRIES', 'FACTS', 'SUPERSEDED BY', 'FIRST REASON']
  const rows = batches.data.map(batch => [
    batch.id,
    batch.feed ?? none,
    formatMinute(batch.last_refused_at),
    String(batch.tries),
    formatNumber(batch.facts),
    batch.overtaken_by ?? none,
    firstLine(firstReason(batch), reasonLength),
  ])
  const listed = listText(head, rows, 'no refused batches')
  return [batches, [listed, ...droppedText(batches.dropped)].join('\n')]
}

const droppedText = (dropped: RefusedBatches['dropped']): string[] =>
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
function firstReason({ refusals: [first] }: RefusedBatches['data'][number]): string {
  return first ? rejectionText({ ...first, path: first.path.replace(/^\/data/, '') }) : none
}

/** `line 7, /data/nation_name: must not have more than 100 characters` */
const lineText = ({ line, path, ...problem }: RefusedBatch['refusals'][number]) =>
  `line ${line}${path === '' ? '' : `, ${path}`}: ${rejectionText({ ...problem, path: '' })}`

async function showRefused({ call }: Context, id: string): Promise<Result> {
  const batch = await call(operatorOperations.refusedGet, { id })
  return [batch, textOf(batch)]
}

type RefusedBatch = ResponseOf<typeof operatorOperations.refusedGet>

function textOf(batch: RefusedBatch): string {
  const { facts, bytes, tries, feed, overtaken_by, content } = batch
  return [
    `${batch.id}${feed === null ? '' : ` of feed ${feed}`}: ${formatCount(facts, 'fact')}, ${formatNumber(bytes)} bytes`,
    `refused ${formatMinute(batch.last_refused_at)} (UTC), ${formatCount(tries, 'try', 'tries')} since ${formatMinute(batch.first_refused_at)}`,
    ...(overtaken_by === null ? [] : [`superseded by ${overtaken_by}: retry requires --force`]),
    '',
    ...batch.refusals.map(refusal => `  ${lineText(refusal)}`),
    '',
    content === null
      ? 'Its facts were too large to keep: the game must send the batch again.'
      : content.trimEnd(),
  ].join('\n')
}

interface RetryOptions {
  force: boolean
}

async function retryRefused({ call }: Context, id: string, { force }: RetryOptions): Promise<Result> {
  const outcome = await call(operatorOperations.refusedRetry, { id, body: { anyway: force } })
  const { status, facts, events, refused } = outcome
  if (status !== 'applied' && status !== 'duplicate') {
    const [first] = refused
    return [outcome, '', `${id} is not applied (${status}).${first ? ` ${lineText(first)}` : ''}`]
  }
  const text = `${id} is applied: ${formatCount(facts, 'fact')}, ${formatCount(events ?? 0, 'event')}`
  return [outcome, text]
}

async function dropRefused({ call }: Context, id: string): Promise<Result> {
  const dropped = await call(operatorOperations.refusedDrop, { id })
  return [dropped, `${dropped.id} is dropped`]
}
