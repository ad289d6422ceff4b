import { operatorOperations, type ResponseOf, type Scope } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatMinute, formatNumber } from '../format.ts'
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
import { listText } from '../table.ts'

const usageHoursMax = 168

export function addKeys(program: ChanceryCommand) {
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
    .option('--limit <n>', 'requests per minute (default: the default limit)', integer(1, 1_000_000))
    .prints(createKey)
    .details(createExamples)
  keys
    .command('list')
    .description('list the keys of a player, or all')
    .option('--nation <id>', 'of the leader of this nation')
    .option('--player <id>', 'of this player')
    .prints(listKeys)
    .details('\nExamples:\n  chancery keys list --nation n42\n  chancery keys list --json')
  keys
    .command('revoke')
    .description('revoke a key (effective everywhere within a second)')
    .argument('<key-id>', 'its id (not the key itself)')
    .prints(revokeKey)
    .details('\nExamples:\n  chancery keys revoke 0197a3c2')
  keys
    .command('set-limit')
    .description('set the rate limit of a key')
    .argument('<key-id>', 'its id (not the key itself)')
    .argument('<n>', 'requests per minute; none restores the default limit', limitOrNone)
    .option('--note <text>', 'the reason; the player who owns the key reads it')
    .prints(setLimit)
    .details(
      '\nExamples:\n  chancery keys set-limit 0197a3c2 600 --note "approved for the war room bot"\n  chancery keys set-limit 0197a3c2 none --note "no longer needed"',
    )
  withTopOptions(keys.command('top').description('list the keys with the most requests'), usageHoursMax)
    .prints(listBusyKeys)
    .details(`
LIMITED got 429 (rate limit), FORBIDDEN got 403, DEPRECATED used deprecated parts of the API; REDEEMED are
verification codes.

Examples:
  chancery keys top
  chancery keys top --hours 1 --limit 5`)
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
}

async function createKey({ call }: Context, options: CreateOptions): Promise<Result> {
  const { name, scopes, expires, limit } = options
  const owner = requiredOwnerOf(options, 'key')
  const body = { ...owner, name, scopes, expires_at: expires, limit }
  const { id, key, ...rest } = await call(operatorOperations.keysCreate, { body })
  const text = [
    key,
    '',
    `Store it now: it is not shown again. Its id is ${id}, its player ${rest.player_id},`,
    `its scopes ${rest.scopes.join(', ')}.`,
  ]
  return [{ id, key, ...rest }, text.join('\n')]
}

async function revokeKey({ call }: Context, id: string): Promise<Result> {
  const key = await call(operatorOperations.keysRevoke, { id })
  return [key, `${key.id} (${key.name}) is revoked`]
}

interface SetLimitOptions {
  note?: string
}

async function setLimit(
  { call }: Context,
  id: string,
  limit: number | null,
  { note }: SetLimitOptions,
): Promise<Result> {
  const body = { limit, note: note ?? null }
  const key = await call(operatorOperations.keysSetLimit, { id, body })
  const now = key.limit === null ? 'the default limit' : `${key.limit} requests per minute`
  return [key, `${key.id} (${key.name}) has ${now}`]
}

type Key = ResponseOf<typeof operatorOperations.keysList>['data'][number]

async function listKeys({ call }: Context, options: Owner): Promise<Result> {
  const query = ownerOf(options) ?? {}
  const keys = await call(operatorOperations.keysList, { query })
  const head = ['ID', 'PLAYER', 'NAME', 'SCOPES', 'LIMIT', 'STATE']
  const rows = keys.data.map(key => [
    key.id,
    key.player_id,
    key.name,
    scopeText(key.scopes),
    limitText(key),
    stateOf(key),
  ])
  return [keys, listText(head, rows, 'no keys')]
}

/** The limit, and the limit that its owner requests. */
function limitText({ limit, limit_request: request }: Key): string {
  const now = limit === null ? 'default' : String(limit)
  return request === null ? now : `${now} (requested: ${request.calls_per_minute})`
}

function stateOf(key: Key): string {
  if (key.revoked_at !== null) return `revoked ${formatMinute(key.revoked_at)}`
  if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now())
    return `expired ${formatMinute(key.expires_at)}`
  return key.last_used_at === null ? 'never used' : `used ${formatMinute(key.last_used_at)}`
}

async function listBusyKeys({ call }: Context, { hours, limit }: TopOptions): Promise<Result> {
  const usage = await call(operatorOperations.usageKeys, { query: { hours, limit } })
  const head = ['ID', 'PLAYER', 'NAME', 'REQUESTS', 'LIMITED', 'FORBIDDEN', 'DEPRECATED', 'REDEEMED']
  const rows = usage.data.map(key => [
    key.key_id,
    key.player_id ?? '-',
    key.name ?? '-',
    ...[key.calls, key.limited, key.refused, key.deprecated, key.redemptions].map(formatNumber),
  ])
  return [usage, listText(head, rows, 'no requests with a key')]
}
