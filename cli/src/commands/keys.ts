import type { Scope } from '@chancery/contract'
import type { Command } from 'commander'
import { minute } from '../clock.ts'
import { findDoor } from '../door/environment.ts'
import { type KeyRecord, readKey, readKeys, readNewKey } from '../door/key-record.ts'
import { openDoor } from '../door/operator-door.ts'
import { limitOrNone, moment, scopeList, scopeText, wholeNumber } from '../option-values.ts'
import { listPath, type Owner, requiredOwnerOf } from '../owner.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'
import { addKeysTop } from './keys-top.ts'

export function addKeys(program: Command, terminal: Terminal) {
  const keys = program
    .command('keys')
    .description('make, list, revoke and limit keys, and see who calls most')
  keys
    .command('create')
    .description('make a key for a player; it is shown this once')
    .option('--nation <id>', 'for the player whose nation this is')
    .option('--player <id>', 'for this player')
    .requiredOption('--name <text>', 'what the key is for')
    .option('--scopes <a,b>', 'what it may read (default: nation.read)', scopeList)
    .option('--expires <moment>', 'when it ends (default: never)', moment)
    .option('--limit <n>', 'calls a minute (default: the usual limit)', wholeNumber(1, 1_000_000))
    .option('--json', 'print one JSON document', false)
    .action((options: CreateOptions) => createKey(options, terminal))
    .addHelpText('after', createExamples)
  keys
    .command('list')
    .description('list the keys of a player, or all')
    .option('--nation <id>', 'of the player whose nation this is')
    .option('--player <id>', 'of this player')
    .option('--json', 'print one JSON document', false)
    .action((options: ListOptions) => listKeys(options, terminal))
    .addHelpText('after', '\nExamples:\n  chancery keys list --nation n42\n  chancery keys list --json')
  keys
    .command('revoke')
    .description('end a key, everywhere within a second')
    .argument('<key-id>', 'its id (not the key itself)')
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const door = openDoor(await findDoor(terminal.env))
      const record = readKey(await door.call('POST', `/keys/${encodeURIComponent(id)}/revoke`))
      print(terminal, json, record, `${record.id} (${record.name}) is revoked`)
    })
    .addHelpText('after', '\nExamples:\n  chancery keys revoke 0197a3c2')
  keys
    .command('set-limit')
    .description('give a key a limit of its own')
    .argument('<key-id>', 'its id (not the key itself)')
    .argument('<n>', 'calls a minute; none gives back the usual limit', limitOrNone)
    .option('--note <text>', 'why; the player who owns the key reads it')
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, limit: number | null, options: { note?: string; json: boolean }) => {
      const door = openDoor(await findDoor(terminal.env))
      const path = `/keys/${encodeURIComponent(id)}/limit`
      const record = readKey(await door.call('PUT', path, { limit, note: options.note ?? null }))
      const now = record.limit === null ? 'the usual limit' : `${record.limit} calls a minute`
      print(terminal, options.json, record, `${record.id} (${record.name}) has ${now}`)
    })
    .addHelpText(
      'after',
      '\nExamples:\n  chancery keys set-limit 0197a3c2 600 --note "approved for the war room bot"\n  chancery keys set-limit 0197a3c2 none --note "no longer needed"',
    )
  addKeysTop(keys, terminal)
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
  const door = openDoor(await findDoor(terminal.env))
  const wanted = { ...owner, name, scopes, expires_at: expires, limit }
  const key = readNewKey(await door.call('POST', '/keys', wanted))
  const text = [
    `${key.key}`,
    '',
    `This is shown once: keep it. Its id is ${key.id}, its player ${key.player_id},`,
    `its scopes ${key.scopes.join(', ')}.`,
  ]
  print(terminal, json, key, text.join('\n'))
}

interface ListOptions extends Owner {
  json: boolean
}

async function listKeys({ json, ...options }: ListOptions, terminal: Terminal) {
  const path = listPath('/keys', options)
  const door = openDoor(await findDoor(terminal.env))
  const keys = readKeys(await door.call('GET', path))
  const rows = keys.map(key => [
    key.id,
    key.player_id,
    key.name,
    scopeText(key.scopes),
    limitText(key),
    stateOf(key),
  ])
  const head = ['ID', 'PLAYER', 'NAME', 'SCOPES', 'LIMIT', 'STATE']
  print(terminal, json, { data: keys }, keys.length > 0 ? table([head, ...rows]) : 'no keys')
}

/** The limit, and what its owner asks for. */
function limitText({ limit, limit_request }: KeyRecord): string {
  const now = limit === null ? 'usual' : String(limit)
  return limit_request === null ? now : `${now}, asks ${limit_request.calls_per_minute}`
}

function stateOf(key: KeyRecord): string {
  if (key.revoked_at !== null) return `revoked ${minute(key.revoked_at)}`
  if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now())
    return `expired ${minute(key.expires_at)}`
  return key.last_used_at === null ? 'never used' : `used ${minute(key.last_used_at)}`
}
