import type { Command } from 'commander'
import { readEndpoints } from '../../door/endpoint-record.ts'
import { findDoor } from '../../door/environment.ts'
import { openDoor } from '../../door/operator-door.ts'
import { listPath, type Owner } from '../../owner.ts'
import { clip } from '../../stranger-text.ts'
import { table } from '../../table.ts'
import { print, type Terminal } from '../../terminal.ts'
import { hearsInShort, stateText } from '../../webhooks/endpoint-text.ts'

const urlLengthMax = 48

export function addListCommand(webhooks: Command, terminal: Terminal) {
  webhooks
    .command('list')
    .description('list the endpoints of a player, or all')
    .option('--nation <id>', 'of the player whose nation this is')
    .option('--player <id>', 'of this player')
    .option('--json', 'print one JSON document', false)
    .action((options: ListOptions) => listEndpoints(options, terminal))
    .addHelpText(
      'after',
      `
An endpoint is unconfirmed until a test is answered. One that fails is switched off in the end: the
percentage says how much of the time until then has passed.

Examples:
  chancery webhooks list --nation n42
  chancery webhooks list --json`,
    )
}

interface ListOptions extends Owner {
  json: boolean
}

async function listEndpoints({ json, ...options }: ListOptions, terminal: Terminal) {
  const path = listPath('/webhooks', options)
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('GET', path)
  const rows = readEndpoints(answer).map(endpoint => [
    endpoint.id,
    endpoint.player_id,
    clip(endpoint.url, urlLengthMax),
    hearsInShort(endpoint),
    stateText(endpoint, Date.now()),
  ])
  const head = ['ID', 'PLAYER', 'URL', 'HEARS', 'STATE']
  print(terminal, json, answer, rows.length > 0 ? table([head, ...rows]) : 'no webhook endpoints')
}
