import { limits, type OperatorRole, type OperatorTokenRecord } from '@chancery/contract'
import type { Command } from 'commander'
import { minute } from '../clock.ts'
import { findDoor } from '../door/environment.ts'
import { openDoor } from '../door/operator-door.ts'
import { type NewToken, readNewToken, readToken, readTokens } from '../door/token-record.ts'
import { moment, roleList, wholeNumber } from '../option-values.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'
import { addTokensLog } from './tokens-log.ts'

export function addTokens(program: Command, terminal: Terminal) {
  const tokens = program
    .command('tokens')
    .description('make, list, replace and revoke operator tokens, and see what was done with them')
  tokens
    .command('create')
    .description('make a token for a service of the game; it is shown this once')
    .requiredOption('--name <text>', 'who will use it')
    .requiredOption('--roles <a,b>', 'what it may do: facts, identity, metrics, admin', roleList)
    .option('--expires <moment>', 'when it ends (default: never)', moment)
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
    .description('make a new token of the same name and roles, and let the old one end')
    .argument('<token-id>', 'its id (not the token itself)')
    .option(
      '--overlap-hours <n>',
      `for how many hours the old one goes on (default: ${limits.tokenOverlapHours})`,
      wholeNumber(0, limits.tokenOverlapHoursMax),
    )
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: RotateOptions) => rotateToken(id, options, terminal))
    .addHelpText(
      'after',
      `
Give the new token to its service, see with chancery tokens list that the old one is no longer used,
and it ends by itself.

Examples:
  chancery tokens rotate tok_4fZk81QzL0w
  chancery tokens rotate tok_4fZk81QzL0w --overlap-hours 0`,
    )
  tokens
    .command('revoke')
    .description('end a token, everywhere within a second')
    .argument('<token-id>', 'its id (not the token itself)')
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const door = openDoor(await findDoor(terminal.env))
      const record = readToken(await door.call('POST', pathOf(id, 'revoke')))
      print(terminal, json, record, `${record.id} (${record.name}) is revoked`)
    })
    .addHelpText('after', '\nExamples:\n  chancery tokens revoke tok_4fZk81QzL0w')
  addTokensLog(tokens, terminal)
}

const pathOf = (id: string, action: string) => `/tokens/${encodeURIComponent(id)}/${action}`

const createHelp = `
Roles: facts sends facts and settles refused batches; identity makes codes and hand-over links; metrics reads
metrics; admin may do everything. A token of any role reads /status.

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
  const door = openDoor(await findDoor(terminal.env))
  const token = readNewToken(await door.call('POST', '/tokens', { name, roles, expires_at: expires }))
  print(terminal, json, token, newTokenText(token))
}

interface RotateOptions {
  overlapHours?: number
  json: boolean
}

async function rotateToken(id: string, { overlapHours, json }: RotateOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const token = readNewToken(await door.call('POST', pathOf(id, 'rotate'), { overlap_hours: overlapHours }))
  const { tokenOverlapHours } = limits
  const left = overlapHours ?? tokenOverlapHours
  const old = left === 0 ? `${id} has ended.` : `${id} goes on for ${left} h at most.`
  print(terminal, json, token, `${newTokenText(token)}\n${old}`)
}

const newTokenText = ({ id, token, name, roles, expires_at }: NewToken) =>
  [
    token,
    '',
    `This is shown once: keep it. Its id is ${id}, its name ${name},`,
    `its roles ${roles.join(', ')}; it ends ${expires_at === null ? 'never' : `${minute(expires_at)} (UTC)`}.`,
  ].join('\n')

async function listTokens(json: boolean, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const tokens = readTokens(await door.call('GET', '/tokens'))
  const head = ['ID', 'NAME', 'ROLES', 'MADE', 'ENDS', 'STATE']
  const rows = tokens.map(token => [
    token.id,
    token.name,
    token.roles.join(','),
    minute(token.created_at),
    token.expires_at === null ? 'never' : minute(token.expires_at),
    stateOf(token),
  ])
  const text = tokens.length > 0 ? table([head, ...rows]) : 'no named tokens: only the main one'
  print(terminal, json, { data: tokens }, text)
}

function stateOf(token: OperatorTokenRecord): string {
  if (token.revoked_at !== null) return `revoked ${minute(token.revoked_at)}`
  if (token.expires_at !== null && Date.parse(token.expires_at) <= Date.now()) return 'expired'
  return token.last_used_at === null ? 'never used' : `used ${minute(token.last_used_at)}`
}
