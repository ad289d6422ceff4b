import type { Command } from 'commander'
import { second } from '../clock.ts'
import { findDoor } from '../door/environment.ts'
import { openDoor } from '../door/operator-door.ts'
import { readLog } from '../door/token-record.ts'
import { wholeNumber } from '../option-values.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'

/** `chancery tokens log` */
export function addTokensLog(tokens: Command, terminal: Terminal) {
  tokens
    .command('log')
    .description('show what was done with tokens, the latest first')
    .option('--limit <n>', 'how many lines (default: 100)', wholeNumber(1, 1000))
    .option('--before <id>', 'only lines before this one, by its id', wholeNumber(1))
    .option('--json', 'print one JSON document', false)
    .action((options: LogOptions) => showLog(options, terminal))
    .addHelpText(
      'after',
      `
The log goes back 400 days, for batches of facts 30 days. Times are UTC.

Examples:
  chancery tokens log
  chancery tokens log --limit 20 --before 4117
  chancery tokens log --limit 1000 --json`,
    )
}

interface LogOptions {
  limit?: number
  before?: number
  json: boolean
}

const none = '-'

async function showLog({ limit, before, json }: LogOptions, terminal: Terminal) {
  const query = new URLSearchParams()
  if (limit !== undefined) query.set('limit', String(limit))
  if (before !== undefined) query.set('before', String(before))
  const door = openDoor(await findDoor(terminal.env))
  const lines = readLog(await door.call('GET', query.size > 0 ? `/log?${query}` : '/log'))
  const head = ['ID', 'TIME', 'TOKEN', 'ACTION', 'SUBJECT', 'STATUS']
  const rows = lines.map(line => [
    String(line.id),
    second(line.at),
    line.token_name,
    line.action,
    line.subject ?? none,
    line.status === null ? none : String(line.status),
  ])
  print(terminal, json, { data: lines }, lines.length > 0 ? table([head, ...rows]) : 'nothing was done yet')
}
