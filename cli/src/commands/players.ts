import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatMinute, formatNumber } from '../format.ts'
import { integer } from '../options.ts'
import { listText, table } from '../table.ts'
import { firstLine, sanitizeForTerminal } from '../untrusted-text.ts'

export function addPlayers(program: ChanceryCommand) {
  const players = program.command('players').description('list, show, export, suspend and resume players')
  players
    .command('list')
    .description('list players by id')
    .option('--suspended', 'only suspended ones', false)
    .option('--after <id>', 'only players after this id')
    .option('--limit <n>', 'how many (default: 100)', integer(1, 1000))
    .prints(listPlayers)
    .details(
      '\nExamples:\n  chancery players list --suspended\n  chancery players list --after p6 --limit 20',
    )
  players
    .command('show')
    .description('show a player: nation, keys, webhooks, and since when and why they are suspended')
    .argument('<player-id>', 'id of the player')
    .prints(showPlayer)
    .details('\nExamples:\n  chancery players show p7')
  players
    .command('export')
    .description('print everything that is stored about a player, as one JSON document')
    .argument('<player-id>', 'id of the player')
    .prints(exportPlayer)
    .details(`
The document has the rows about the player by table, without secrets and hashes. It includes the notes of
operators and moderators, and fields that the game marks as secret: read it before you hand it over.

Examples:
  chancery players export p7 > p7.json`)
  players
    .command('suspend')
    .description('suspend a player: reject their keys and disable their webhooks')
    .argument('<player-id>', 'id of the player')
    .option('--note <text>', 'the reason, for other operators')
    .prints(suspendPlayer)
    .details(
      '\nExamples:\n  chancery players suspend p7\n  chancery players suspend p7 --note "sold keys, see ticket 4711"',
    )
  players
    .command('resume')
    .description('end a suspension: the keys of the player work again')
    .argument('<player-id>', 'id of the player')
    .prints(resumePlayer)
    .details(`
Webhook endpoints that the suspension disabled stay disabled until they are enabled.

Examples:
  chancery players resume p7
  chancery webhooks enable whe_5bqk2yVh0TzD`)
}

interface ListOptions {
  suspended: boolean
  after?: string
  limit?: number
}

const none = '-'
const noteLength = 60

async function listPlayers({ call }: Context, { suspended, ...rest }: ListOptions): Promise<Result> {
  const query = { ...rest, ...(suspended ? { is_suspended: true } : {}) }
  const players = await call(operatorOperations.playersList, { query })
  const head = ['PLAYER', 'NATION', 'NAME', 'KEYS', 'WEBHOOKS', 'LAST USED', 'SUSPENDED', 'NOTE']
  const rows = players.data.map(player => [
    player.player_id,
    player.nation_id ?? none,
    player.nation_name ?? none,
    ...[player.keys, player.webhooks].map(formatNumber),
    player.last_used_at === null ? 'never' : formatMinute(player.last_used_at),
    player.suspended_at === null ? none : formatMinute(player.suspended_at),
    player.note === null ? none : firstLine(player.note, noteLength),
  ])
  return [players, listText(head, rows, 'no players')]
}

async function showPlayer({ call }: Context, id: string): Promise<Result> {
  const player = await call(operatorOperations.playersGet, { id })
  const { nation_id, nation_name, suspended_at, note, last_used_at } = player
  const lines = table([
    ['player', player.player_id],
    ['nation', nation_id === null ? 'none' : `${nation_id} (${nation_name})`],
    [
      'keys',
      `${formatNumber(player.keys)} active, last used ${last_used_at === null ? 'never' : formatMinute(last_used_at)}`,
    ],
    ['webhooks', formatNumber(player.webhooks)],
    ['suspended', suspended_at === null ? 'no' : `since ${formatMinute(suspended_at)} (UTC)`],
    ...(note === null ? [] : [['note', note]]),
  ])
  return [player, lines]
}

async function exportPlayer({ call }: Context, id: string): Promise<Result> {
  const held = await call(operatorOperations.playersExport, { id })
  const failure =
    held.truncated.length === 0 ? undefined : `not all rows are included of: ${held.truncated.join(', ')}`
  return [held, sanitizeForTerminal(JSON.stringify(held, null, 2)), failure]
}

interface SuspendOptions {
  note?: string
}

async function suspendPlayer({ call }: Context, id: string, { note }: SuspendOptions): Promise<Result> {
  const body = { note: note ?? null }
  const player = await call(operatorOperations.playersSuspend, { id, body })
  const count = player.webhooks_disabled
  const since = `${player.player_id} is suspended since ${formatMinute(player.suspended_at)} (UTC).`
  const disabled = count === 0 ? '' : ` Webhook endpoints disabled: ${formatNumber(count)}.`
  return [player, `${since}\nTheir keys are rejected.${disabled}`]
}

async function resumePlayer({ call }: Context, id: string): Promise<Result> {
  const player = await call(operatorOperations.playersResume, { id })
  const text = `${player.player_id} is no longer suspended; enable disabled webhook endpoints with chancery webhooks enable`
  return [player, text]
}
