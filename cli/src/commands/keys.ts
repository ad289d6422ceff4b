import { operatorOperations, type ResponseOf, type Scope } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatMinute, formatNumber, formatSecond } from '../format.ts'
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
import { firstLine } from '../untrusted-text.ts'

const usageHoursMax = 168

export function addKeys(program: ChanceryCommand) {
  const keys = program
    .command('keys')
    .description('create, list, revoke and limit API keys, and see their requests')
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
  keys
    .command('requests')
    .description('list the pending requests of players for higher limits')
    .prints(listLimitRequests)
    .details('\nExamples:\n  chancery keys requests')
  keys
    .command('approve')
    .description('approve the request for a higher limit of a key')
    .argument('<key-id>', 'its id')
    .option('--limit <n>', 'requests per minute (default: as requested)', integer(1, 1_000_000))
    .option('--note <text>', 'the reason; the player who owns the key reads it')
    .prints(approveRequest)
    .details(
      '\nExamples:\n  chancery keys approve key_4fZk81QzL0w\n  chancery keys approve key_4fZk81QzL0w --limit 300 --note "half for now"',
    )
  keys
    .command('decline')
    .description('decline the request for a higher limit of a key')
    .argument('<key-id>', 'its id')
    .option('--note <text>', 'the reason; the player who owns the key reads it')
    .prints(declineRequest)
    .details('\nExamples:\n  chancery keys decline key_4fZk81QzL0w --note "read several nations with ids="')
  keys
    .command('calls')
    .description('list the latest requests with a key')
    .argument('<key-id>', 'its id')
    .option('--limit <n>', 'how many (default: 100)', integer(1, 1000))
    .prints(listCalls)
    .details('\nExamples:\n  chancery keys calls key_4fZk81QzL0w --limit 20')
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

async function listLimitRequests({ call }: Context): Promise<Result> {
  const requests = await call(operatorOperations.limitRequestsList)
  const head = ['KEY', 'PLAYER', 'NAME', 'LIMIT', 'REQUESTED', 'SINCE', 'REASON']
  const rows = requests.data.map(request => [
    request.key_id,
    request.player_id,
    request.key_name,
    request.limit === null ? 'default' : String(request.limit),
    String(request.calls_per_minute),
    formatMinute(request.asked_at),
    firstLine(request.sentence, reasonLength),
  ])
  return [requests, listText(head, rows, 'no pending requests')]
}

const reasonLength = 80

interface ApproveOptions {
  limit?: number
  note?: string
}

async function approveRequest({ call }: Context, id: string, body: ApproveOptions): Promise<Result> {
  const approved = await call(operatorOperations.limitRequestsApprove, { id, body })
  return [approved, `${approved.key_id} may make ${approved.limit} requests a minute`]
}

async function declineRequest({ call }: Context, id: string, body: { note?: string }): Promise<Result> {
  const declined = await call(operatorOperations.limitRequestsDecline, { id, body })
  return [declined, `the request of ${declined.key_id} is declined`]
}

async function listCalls({ call }: Context, id: string, query: { limit?: number }): Promise<Result> {
  const calls = await call(operatorOperations.keysRequests, { id, query })
  const head = ['TIME', 'OPERATION', 'STATUS', 'ERROR', 'TOOK', 'REQUEST']
  const rows = calls.data.map(request => [
    formatSecond(request.at),
    request.operation,
    String(request.status),
    [request.error_code, request.error_parameter].filter(Boolean).join(': ') || '-',
    `${request.duration_ms.toFixed(1)} ms`,
    request.request_id,
  ])
  return [calls, listText(head, rows, 'no requests with this key')]
}
