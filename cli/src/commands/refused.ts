import {
  type DroppedBatch,
  type RefusedBatch,
  type RefusedBatchWithContent,
  rejectionText,
} from '@chancery/contract'
import type { Command } from 'commander'
import { minute } from '../clock.ts'
import { CommandError } from '../command-error.ts'
import { findDoor } from '../door/environment.ts'
import { membersOf } from '../door/members.ts'
import { openDoor } from '../door/operator-door.ts'
import { readDropped, readRefused, readRefusedContent } from '../door/refused-record.ts'
import { retryBatch } from '../door/retry-batch.ts'
import { counted, grouped } from '../numbers.ts'
import { wholeNumber } from '../option-values.ts'
import { beginning } from '../stranger-text.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'

export function addRefused(program: Command, terminal: Terminal) {
  const refused = program.command('refused').description('look at refused batches, and try or drop them')
  refused
    .command('list')
    .description('list the batches that were refused and not applied since')
    .option('--feed <name>', 'only of this feed')
    .option('--limit <n>', 'how many (default: 100)', wholeNumber(1, 1000))
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
    .description('apply a refused batch as it was sent, now that its reason is gone')
    .argument('<batch>', 'its id')
    .option('--anyway', 'also where later facts have changed what it is about', false)
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: RetryOptions) => retryRefused(id, options, terminal))
    .addHelpText(
      'after',
      `
A batch whose facts are wrong stays wrong: let the game send it again, corrected, under the same id. One that later
facts have overtaken would turn back what they say; --anyway means that.

Examples:
  chancery refused retry turn-8818
  chancery refused retry turn-8818 --anyway`,
    )
  refused
    .command('drop')
    .description('forget a refused batch: what it says is not applied')
    .argument('<batch>', 'its id')
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const door = openDoor(await findDoor(terminal.env))
      const answer = await door.call('DELETE', pathOf(id))
      print(terminal, json, answer, `${membersOf(answer, 'a dropped batch').text('id')} is dropped`)
    })
    .addHelpText('after', '\nExamples:\n  chancery refused drop turn-8818')
}

const pathOf = (id: string) => `/refused/${encodeURIComponent(id)}`
const none = '-'
const reasonLength = 60

interface ListOptions {
  feed?: string
  limit?: number
  json: boolean
}

async function listRefused({ feed, limit, json }: ListOptions, terminal: Terminal) {
  const query = new URLSearchParams()
  if (feed !== undefined) query.set('feed', feed)
  if (limit !== undefined) query.set('limit', String(limit))
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('GET', query.size > 0 ? `/refused?${query}` : '/refused')
  const [batches, dropped] = [readRefused(answer), readDropped(answer)]
  const head = ['BATCH', 'FEED', 'REFUSED', 'TRIES', 'FACTS', 'OVERTAKEN BY', 'FIRST REASON']
  const rows = batches.map(batch => [
    batch.id,
    batch.feed ?? none,
    minute(batch.last_refused_at),
    String(batch.tries),
    grouped(batch.facts),
    batch.overtaken_by ?? none,
    beginning(firstReason(batch), reasonLength),
  ])
  const listed = batches.length > 0 ? table([head, ...rows]) : 'no refused batches'
  print(terminal, json, { data: batches, dropped }, [listed, ...droppedText(dropped)].join('\n'))
}

const droppedText = (dropped: DroppedBatch[]): string[] =>
  dropped.length === 0
    ? []
    : [
        '\nDropped, dead-letter store full:',
        table(
          dropped.map(({ id, feed, facts, is_listed, dropped_at }) => [
            id,
            feed ?? none,
            minute(dropped_at),
            counted(facts, 'fact'),
            is_listed ? 'facts only' : 'whole batch',
          ]),
        ),
      ]

/** With the place in the fact: `/national_score must be >= 0`. */
function firstReason({ refusals: [first] }: RefusedBatch): string {
  return first ? rejectionText({ ...first, path: first.path.replace(/^\/data/, '') }) : none
}

async function showRefused(id: string, { json }: { json: boolean }, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const batch = readRefusedContent(await door.call('GET', pathOf(id)))
  print(terminal, json, batch, textOf(batch))
}

function textOf(batch: RefusedBatchWithContent): string {
  const { facts, bytes, tries, feed, overtaken_by, content } = batch
  return [
    `${batch.id}${feed === null ? '' : ` of feed ${feed}`}: ${counted(facts, 'fact')}, ${grouped(bytes)} bytes`,
    `refused ${minute(batch.last_refused_at)} (UTC), ${counted(tries, 'try', 'tries')} since ${minute(batch.first_refused_at)}`,
    ...(overtaken_by === null ? [] : [`overtaken by ${overtaken_by}: retry needs --anyway`]),
    '',
    ...batch.refusals.map(
      ({ line, path, ...problem }) =>
        `  line ${line}${path === '' ? '' : `, ${path}`}: ${rejectionText({ ...problem, path: '' })}`,
    ),
    '',
    content === null ? 'Its facts were too many to keep: the game must send it again.' : content.trimEnd(),
  ].join('\n')
}

interface RetryOptions {
  anyway: boolean
  json: boolean
}

async function retryRefused(id: string, { anyway, json }: RetryOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const outcome = await retryBatch(door, `${pathOf(id)}/retry`, anyway)
  const { status, facts, events, refused } = outcome
  const isDone = status === 'applied' || status === 'duplicate'
  const [first] = refused
  const why = first
    ? ` line ${first.line}${first.path === '' ? '' : `, ${first.path}`}: ${rejectionText({ ...first, path: '' })}`
    : ''
  if (!isDone) {
    if (json) print(terminal, json, outcome, '')
    throw new CommandError(`${id} is not applied (${status}).${why}`)
  }
  const text = `${id} is applied: ${counted(facts, 'fact')}, ${counted(events ?? 0, 'event')}`
  print(terminal, json, outcome, text)
}
