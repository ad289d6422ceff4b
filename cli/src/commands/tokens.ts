import {
  limits,
  type OperatorRole,
  type OperatorTokenRecord,
  operatorOperations,
  type ResponseOf,
} from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatMinute, formatSecond } from '../format.ts'
import { integer, roleList, time } from '../options.ts'
import { listText } from '../table.ts'

export function addTokens(program: ChanceryCommand) {
  const tokens = program
    .command('tokens')
    .description('create, list, rotate and revoke operator tokens, and read the audit log')
  tokens
    .command('create')
    .description('create a token for a service of the game; it is shown once')
    .requiredOption('--name <text>', 'the service that uses it')
    .requiredOption('--roles <a,b>', 'its roles: facts, identity, metrics, admin', roleList)
    .option('--expires <time>', 'when it expires (default: never)', time)
    .prints(createToken)
    .details(createHelp)
  tokens
    .command('list')
    .description('list the tokens')
    .prints(listTokens)
    .details('\nExamples:\n  chancery tokens list\n  chancery tokens list --json')
  tokens
    .command('rotate')
    .description('create a new token with the same name and roles; the old one expires after an overlap')
    .argument('<token-id>', 'its id (not the token itself)')
    .option(
      '--overlap-hours <n>',
      `for how many hours the old one stays valid (default: ${limits.tokenOverlapHours})`,
      integer(0, limits.tokenOverlapHoursMax),
    )
    .prints(rotateToken)
    .details(`
Configure the service with the new token, and check with chancery tokens list that the old one is no longer
used. It expires by itself.

Examples:
  chancery tokens rotate tok_4fZk81QzL0w
  chancery tokens rotate tok_4fZk81QzL0w --overlap-hours 0`)
  tokens
    .command('revoke')
    .description('revoke a token (effective everywhere within a second)')
    .argument('<token-id>', 'its id (not the token itself)')
    .prints(revokeToken)
    .details('\nExamples:\n  chancery tokens revoke tok_4fZk81QzL0w')
  tokens
    .command('log')
    .description('show the audit log of the tokens, newest first')
    .option('--limit <n>', 'how many rows (default: 100)', integer(1, 1000))
    .option('--before <id>', 'only rows before the one with this id', integer(1))
    .option('--action <action>', 'only of this method and path, such as "POST /keys"')
    .option('--token <id>', 'only of this token')
    .option('--subject <id>', 'only about this key, player, nation or batch')
    .option('--since <time>', 'only from this time on', time)
    .option('--until <time>', 'only before this time', time)
    .option('--batches', 'also the rows of batches of facts', false)
    .prints(showLog)
    .details(`
Rows are kept for 400 days, those of batches of facts for 30 days. Times are UTC.

Examples:
  chancery tokens log
  chancery tokens log --subject p7 --since 2026-05-01
  chancery tokens log --limit 20 --before 4117
  chancery tokens log --limit 1000 --json`)
}

const createHelp = `
Roles: facts sends facts, and retries or drops rejected batches; identity issues codes and handover links;
metrics reads metrics; admin may do everything. Every role may read /status.

Examples:
  chancery tokens create --name game-server --roles facts,identity
  chancery tokens create --name prometheus --roles metrics --expires 2027-01-01 --json`

interface CreateOptions {
  name: string
  roles: OperatorRole[]
  expires?: string
}

async function createToken({ call }: Context, { name, roles, expires }: CreateOptions): Promise<Result> {
  const body = { name, roles, expires_at: expires }
  const token = newToken(await call(operatorOperations.tokensCreate, { body }))
  return [token, newTokenText(token)]
}

interface RotateOptions {
  overlapHours?: number
}

async function rotateToken({ call }: Context, id: string, { overlapHours }: RotateOptions): Promise<Result> {
  const body = { overlap_hours: overlapHours }
  const token = newToken(await call(operatorOperations.tokensRotate, { id, body }))
  const left = overlapHours ?? limits.tokenOverlapHours
  const old = left === 0 ? `${id} has expired.` : `${id} stays valid for ${left} h at most.`
  return [token, `${newTokenText(token)}\n${old}`]
}

type NewToken = ResponseOf<typeof operatorOperations.tokensCreate>

/** With id and token first. */
const newToken = ({ id, token, ...rest }: NewToken) => ({ id, token, ...rest })

const newTokenText = ({ id, token, name, roles, expires_at }: NewToken) =>
  [
    token,
    '',
    `Store it now: it is not shown again. Its id is ${id}, its name ${name},`,
    `its roles ${roles.join(', ')}; it expires ${expires_at === null ? 'never' : `${formatMinute(expires_at)} (UTC)`}.`,
  ].join('\n')

async function revokeToken({ call }: Context, id: string): Promise<Result> {
  const token = await call(operatorOperations.tokensRevoke, { id })
  return [token, `${token.id} (${token.name}) is revoked`]
}

async function listTokens({ call }: Context): Promise<Result> {
  const tokens = await call(operatorOperations.tokensList)
  const head = ['ID', 'NAME', 'ROLES', 'CREATED', 'EXPIRES', 'STATE']
  const rows = tokens.data.map(token => [
    token.id,
    token.name,
    token.roles.join(','),
    formatMinute(token.created_at),
    token.expires_at === null ? 'never' : formatMinute(token.expires_at),
    stateOf(token),
  ])
  return [tokens, listText(head, rows, 'no named tokens (the admin token is not listed)')]
}

function stateOf(token: OperatorTokenRecord): string {
  if (token.revoked_at !== null) return `revoked ${formatMinute(token.revoked_at)}`
  if (token.expires_at !== null && Date.parse(token.expires_at) <= Date.now()) return 'expired'
  return token.last_used_at === null ? 'never used' : `used ${formatMinute(token.last_used_at)}`
}

interface LogOptions {
  limit?: number
  before?: number
  action?: string
  token?: string
  subject?: string
  since?: string
  until?: string
  batches: boolean
}

const none = '-'

async function showLog({ call }: Context, { token, ...filter }: LogOptions): Promise<Result> {
  const log = await call(operatorOperations.logList, { query: { ...filter, token_id: token } })
  const head = ['ID', 'TIME', 'TOKEN', 'ACTION', 'SUBJECT', 'STATUS']
  const rows = log.data.map(row => [
    String(row.id),
    formatSecond(row.at),
    row.token_name,
    row.action,
    row.subject ?? none,
    row.status === null ? none : String(row.status),
  ])
  return [log, listText(head, rows, 'the audit log is empty')]
}
