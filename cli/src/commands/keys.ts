import { operatorOperations, type ResponseOf, type Scope } from '@chancery/contract'
import type { Command } from 'commander'
import { formatMinute, formatNumber } from '../format.ts'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import {
  integer,
  limitOrNone,
  type Owner,
  ownerOf,
  requiredOwnerOf,
  scopeList,
  scopeText,
  type TopOptions,
  time,
  withTopOptions,
} from '../options.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'

const usageHoursMax = 168

export function addKeys(program: Command, terminal: Terminal) {
  const keys = program
    .command('keys')
    .description('create, list, revoke and limit API keys, and list the most active ones')
  keys
    .command('create')
    .description('create a key for a player; it is shown once')
    .option('--nation <id>', 'for the leader of this nation')
    .option('--player <id>', 'for this player')
    .requiredOption('--name <text>', 'its purpose')
    .option('--scopes <a,b>', 'its scopes (default: nation.read)', scopeList)
    .option('--expires <time>', 'when it expires (default: never)', time)
    .option('--limit <n>', 'calls per minute (default: the default limit)', integer(1, 1_000_000))
    .option('--json', 'print one JSON document', false)
    .action((options: CreateOptions) => createKey(options, terminal))
    .addHelpText('after', createExamples)
  keys
    .command('list')
    .description('list the keys of a player, or all')
    .option('--nation <id>', 'of the leader of this nation')
    .option('--player <id>', 'of this player')
    .option('--json', 'print one JSON document', false)
    .action((options: ListOptions) => listKeys(options, terminal))
    .addHelpText('after', '\nExamples:\n  chancery keys list --nation n42\n  chancery keys list --json')
  keys
    .command('revoke')
    .description('revoke a key (effective everywhere within a second)')
    .argument('<key-id>', 'its id (not the key itself)')
    .option('--json', 'print one JSON document', false)
    .action((id: string, { json }: { json: boolean }) => revokeKey(id, json, terminal))
    .addHelpText('after', '\nExamples:\n  chancery keys revoke 0197a3c2')
  keys
    .command('set-limit')
    .description('set the rate limit of a key')
    .argument('<key-id>', 'its id (not the key itself)')
    .argument('<n>', 'calls per minute; none restores the default limit', limitOrNone)
    .option('--note <text>', 'the reason; the player who owns the key reads it')
    .option('--json', 'print one JSON document', false)
    .action((id: string, limit: number | null, options: SetLimitOptions) =>
      setLimit(id, limit, options, terminal),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  chancery keys set-limit 0197a3c2 600 --note "approved for the war room bot"\n  chancery keys set-limit 0197a3c2 none --note "no longer needed"',
    )
  withTopOptions(keys.command('top').description('list the keys with the most requests'), usageHoursMax)
    .action((options: TopOptions) => listBusyKeys(options, terminal))
    .addHelpText(
      'after',
      `
LIMITED got 429 (rate limit), FORBIDDEN got 403, DEPRECATED used deprecated parts of the API; REDEEMED are
verification codes.

Examples:
  chancery keys top
  chancery keys top --hours 1 --limit 5`,
    )
}

const createExamples = `
Examples:
  chancery keys create --nation n42 --name "my bot"
  chancery keys create --nation n42 --name "war room" --scopes military.read,economy.read
  chancery keys create --player p7 --name "tools" --expires 2027-01-01 --limit 300 --json`

interface CreateOptions extends Owner {
  name: string
  scopes?: Scope[]
  expires?: string
  limit?: number
  json: boolean
}

async function createKey(options: CreateOptions, terminal: Terminal) {
  const { name, scopes, expires, limit, json } = options
  const owner = requiredOwnerOf(options, 'key')
  const client = await openOperatorClient(terminal.env)
  const body = { ...owner, name, scopes, expires_at: expires, limit }
  const { id, key, ...rest } = await client.call(operatorOperations.keysCreate, { body })
  const text = [
    key,
    '',
    `Store it now: it is not shown again. Its id is ${id}, its player ${rest.player_id},`,
    `its scopes ${rest.scopes.join(', ')}.`,
  ]
  print(terminal, json, { id, key, ...rest }, text.join('\n'))
}

async function revokeKey(id: string, json: boolean, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const key = await client.call(operatorOperations.keysRevoke, { id })
  print(terminal, json, key, `${key.id} (${key.name}) is revoked`)
}

interface SetLimitOptions {
  note?: string
  json: boolean
}

async function setLimit(
  id: string,
  limit: number | null,
  { note, json }: SetLimitOptions,
  terminal: Terminal,
) {
  const client = await openOperatorClient(terminal.env)
  const body = { limit, note: note ?? null }
  const key = await client.call(operatorOperations.keysSetLimit, { id, body })
  const now = key.limit === null ? 'the default limit' : `${key.limit} calls per minute`
  print(terminal, json, key, `${key.id} (${key.name}) has ${now}`)
}

interface ListOptions extends Owner {
  json: boolean
}

type Key = ResponseOf<typeof operatorOperations.keysList>['data'][number]

async function listKeys({ json, ...options }: ListOptions, terminal: Terminal) {
  const query = ownerOf(options) ?? {}
  const client = await openOperatorClient(terminal.env)
  const keys = await client.call(operatorOperations.keysList, { query })
  const head = ['ID', 'PLAYER', 'NAME', 'SCOPES', 'LIMIT', 'STATE']
  const rows = keys.data.map(key => [
    key.id,
    key.player_id,
    key.name,
    scopeText(key.scopes),
    limitText(key),
    stateOf(key),
  ])
  print(terminal, json, keys, rows.length > 0 ? table([head, ...rows]) : 'no keys')
}

/** The limit, and the limit that its owner requests. */
function limitText({ limit, limit_request: request }: Key): string {
  const now = limit === null ? 'default' : String(limit)
  return request === null ? now : `${now}, requests ${request.calls_per_minute}`
}

function stateOf(key: Key): string {
  if (key.revoked_at !== null) return `revoked ${formatMinute(key.revoked_at)}`
  if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now())
    return `expired ${formatMinute(key.expires_at)}`
  return key.last_used_at === null ? 'never used' : `used ${formatMinute(key.last_used_at)}`
}

async function listBusyKeys({ hours, limit, json }: TopOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const usage = await client.call(operatorOperations.usageKeys, { query: { hours, limit } })
  const head = ['ID', 'PLAYER', 'NAME', 'CALLS', 'LIMITED', 'FORBIDDEN', 'DEPRECATED', 'REDEEMED']
  const rows = usage.data.map(key => [
    key.key_id,
    key.player_id ?? '-',
    key.name ?? '-',
    ...[key.calls, key.limited, key.refused, key.deprecated, key.redemptions].map(formatNumber),
  ])
  print(terminal, json, usage, rows.length > 0 ? table([head, ...rows]) : 'no requests with a key')
}
