import { operatorOperations, type ResponseOf, rejectionText } from '@chancery/contract'
import type { Command } from 'commander'
import { CommandError } from '../command-error.ts'
import { formatCount, formatMinute, formatNumber } from '../format.ts'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import { integer } from '../options.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'
import { firstLine } from '../untrusted-text.ts'

export function addRefused(program: Command, terminal: Terminal) {
  const refused = program
    .command('refused')
    .description('list, retry and drop refused batches (the dead-letter store)')
  refused
    .command('list')
    .description('list the batches that were refused and not applied since')
    .option('--feed <name>', 'only of this feed')
    .option('--limit <n>', 'how many (default: 100)', integer(1, 1000))
    .option('--json', 'print one JSON document', false)
    .action((options: ListOptions) => listRefused(options, terminal))
    .addHelpText(
      'after',
      '\nExamples:\n  chancery refused list\n  chancery refused list --feed pull --limit 20',
    )
  refused
    .command('show')
    .description('show why a batch was refused, and its facts')
    .argument('<batch>', 'its id')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: { json: boolean }) => showRefused(id, options, terminal))
    .addHelpText(
      'after',
      '\nExamples:\n  chancery refused show turn-8818\n  chancery refused show turn-8818 --json',
    )
  refused
    .command('retry')
    .description('apply a refused batch unchanged, after its cause was removed')
    .argument('<batch>', 'its id')
    .option('--force', 'also if later facts have changed the same items', false)
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: RetryOptions) => retryRefused(id, options, terminal))
    .addHelpText(
      'after',
      `
A batch with wrong facts is refused again: let the game send a corrected one with the same id. A batch that
later facts have superseded would revert them; --force applies it anyway.

Examples:
  chancery refused retry turn-8818
  chancery refused retry turn-8818 --force`,
    )
  refused
    .command('drop')
    .description('delete a refused batch without applying it')
    .argument('<batch>', 'its id')
    .option('--json', 'print one JSON document', false)
    .action((id: string, { json }: { json: boolean }) => dropRefused(id, json, terminal))
    .addHelpText('after', '\nExamples:\n  chancery refused drop turn-8818')
}

const none = '-'
const reasonLength = 60

interface ListOptions {
  feed?: string
  limit?: number
  json: boolean
}

type RefusedBatches = ResponseOf<typeof operatorOperations.refusedList>

async function listRefused({ json, ...query }: ListOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const batches = await client.call(operatorOperations.refusedList, { query })
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
  const listed = rows.length > 0 ? table([head, ...rows]) : 'no refused batches'
  print(terminal, json, batches, [listed, ...droppedText(batches.dropped)].join('\n'))
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

async function showRefused(id: string, { json }: { json: boolean }, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const batch = await client.call(operatorOperations.refusedGet, { id })
  print(terminal, json, batch, textOf(batch))
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
  json: boolean
}

async function retryRefused(id: string, { force, json }: RetryOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const outcome = await client.call(operatorOperations.refusedRetry, { id, body: { anyway: force } })
  const { status, facts, events, refused } = outcome
  if (status !== 'applied' && status !== 'duplicate') {
    if (json) print(terminal, json, outcome, '')
    const [first] = refused
    throw new CommandError(`${id} is not applied (${status}).${first ? ` ${lineText(first)}` : ''}`)
  }
  const text = `${id} is applied: ${formatCount(facts, 'fact')}, ${formatCount(events ?? 0, 'event')}`
  print(terminal, json, outcome, text)
}

async function dropRefused(id: string, json: boolean, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const dropped = await client.call(operatorOperations.refusedDrop, { id })
  print(terminal, json, dropped, `${dropped.id} is dropped`)
}
