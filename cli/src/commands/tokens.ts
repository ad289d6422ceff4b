import {
  limits,
  type OperatorRole,
  type OperatorTokenRecord,
  operatorOperations,
  type ResponseOf,
} from '@chancery/contract'
import type { Command } from 'commander'
import { formatMinute, formatSecond } from '../format.ts'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import { integer, roleList, time } from '../options.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'

export function addTokens(program: Command, terminal: Terminal) {
  const tokens = program
    .command('tokens')
    .description('create, list, rotate and revoke operator tokens, and read the audit log')
  tokens
    .command('create')
    .description('create a token for a service of the game; it is shown once')
    .requiredOption('--name <text>', 'the service that uses it')
    .requiredOption('--roles <a,b>', 'its roles: facts, identity, metrics, admin', roleList)
    .option('--expires <time>', 'when it expires (default: never)', time)
    .option('--json', 'print one JSON document', false)
    .action((options: CreateOptions) => createToken(options, terminal))
    .addHelpText('after', createHelp)
  tokens
    .command('list')
    .description('list the tokens')
    .option('--json', 'print one JSON document', false)
    .action(({ json }: { json: boolean }) => listTokens(json, terminal))
    .addHelpText('after', '\nExamples:\n  chancery tokens list\n  chancery tokens list --json')
  tokens
    .command('rotate')
    .description('create a new token with the same name and roles; the old one expires after an overlap')
    .argument('<token-id>', 'its id (not the token itself)')
    .option(
      '--overlap-hours <n>',
      `for how many hours the old one stays valid (default: ${limits.tokenOverlapHours})`,
      integer(0, limits.tokenOverlapHoursMax),
    )
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: RotateOptions) => rotateToken(id, options, terminal))
    .addHelpText(
      'after',
      `
Configure the service with the new token, and check with chancery tokens list that the old one is no longer
used. It expires by itself.

Examples:
  chancery tokens rotate tok_4fZk81QzL0w
  chancery tokens rotate tok_4fZk81QzL0w --overlap-hours 0`,
    )
  tokens
    .command('revoke')
    .description('revoke a token (effective everywhere within a second)')
    .argument('<token-id>', 'its id (not the token itself)')
    .option('--json', 'print one JSON document', false)
    .action((id: string, { json }: { json: boolean }) => revokeToken(id, json, terminal))
    .addHelpText('after', '\nExamples:\n  chancery tokens revoke tok_4fZk81QzL0w')
  tokens
    .command('log')
    .description('show the audit log of the tokens, newest first')
    .option('--limit <n>', 'how many lines (default: 100)', integer(1, 1000))
    .option('--before <id>', 'only lines before the one with this id', integer(1))
    .option('--json', 'print one JSON document', false)
    .action((options: LogOptions) => showLog(options, terminal))
    .addHelpText(
      'after',
      `
Lines are kept for 400 days, those of batches of facts for 30 days. Times are UTC.

Examples:
  chancery tokens log
  chancery tokens log --limit 20 --before 4117
  chancery tokens log --limit 1000 --json`,
    )
}

const createHelp = `
Roles: facts sends facts, and retries or drops refused batches; identity issues codes and hand-over links;
metrics reads metrics; admin may do everything. Every role may read /status.

Examples:
  chancery tokens create --name game-server --roles facts,identity
  chancery tokens create --name prometheus --roles metrics --expires 2027-01-01 --json`

interface CreateOptions {
  name: string
  roles: OperatorRole[]
  expires?: string
  json: boolean
}

async function createToken({ name, roles, expires, json }: CreateOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const body = { name, roles, expires_at: expires }
  const token = newToken(await client.call(operatorOperations.tokensCreate, { body }))
  print(terminal, json, token, newTokenText(token))
}

interface RotateOptions {
  overlapHours?: number
  json: boolean
}

async function rotateToken(id: string, { overlapHours, json }: RotateOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const body = { overlap_hours: overlapHours }
  const token = newToken(await client.call(operatorOperations.tokensRotate, { id, body }))
  const left = overlapHours ?? limits.tokenOverlapHours
  const old = left === 0 ? `${id} has expired.` : `${id} stays valid for ${left} h at most.`
  print(terminal, json, token, `${newTokenText(token)}\n${old}`)
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

async function revokeToken(id: string, json: boolean, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const token = await client.call(operatorOperations.tokensRevoke, { id })
  print(terminal, json, token, `${token.id} (${token.name}) is revoked`)
}

async function listTokens(json: boolean, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const tokens = await client.call(operatorOperations.tokensList)
  const head = ['ID', 'NAME', 'ROLES', 'CREATED', 'EXPIRES', 'STATE']
  const rows = tokens.data.map(token => [
    token.id,
    token.name,
    token.roles.join(','),
    formatMinute(token.created_at),
    token.expires_at === null ? 'never' : formatMinute(token.expires_at),
    stateOf(token),
  ])
  print(
    terminal,
    json,
    tokens,
    rows.length > 0 ? table([head, ...rows]) : 'no named tokens: only the main one',
  )
}

function stateOf(token: OperatorTokenRecord): string {
  if (token.revoked_at !== null) return `revoked ${formatMinute(token.revoked_at)}`
  if (token.expires_at !== null && Date.parse(token.expires_at) <= Date.now()) return 'expired'
  return token.last_used_at === null ? 'never used' : `used ${formatMinute(token.last_used_at)}`
}

interface LogOptions {
  limit?: number
  before?: number
  json: boolean
}

const none = '-'

async function showLog({ json, ...query }: LogOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const log = await client.call(operatorOperations.logList, { query })
  const head = ['ID', 'TIME', 'TOKEN', 'ACTION', 'SUBJECT', 'STATUS']
  const rows = log.data.map(line => [
    String(line.id),
    formatSecond(line.at),
    line.token_name,
    line.action,
    line.subject ?? none,
    line.status === null ? none : String(line.status),
  ])
  print(terminal, json, log, rows.length > 0 ? table([head, ...rows]) : 'the audit log is empty')
}
