import type { Command } from 'commander'
import { readEndpoint, readSecret, readTest } from '../../door/endpoint-record.ts'
import { findDoor } from '../../door/environment.ts'
import { openDoor } from '../../door/operator-door.ts'
import { wordList } from '../../option-values.ts'
import { type Owner, requiredOwnerOf } from '../../owner.ts'
import { print, type Terminal } from '../../terminal.ts'
import { testText } from '../../webhooks/test-text.ts'

export function addAddCommand(webhooks: Command, terminal: Terminal) {
  webhooks
    .command('add')
    .description('add an endpoint for a player and test it; its secret is shown this once')
    .option('--nation <id>', 'for the player whose nation this is')
    .option('--player <id>', 'for this player')
    .requiredOption('--url <url>', 'where its receiver takes messages')
    .option('--types <a,b.*>', 'hear these kinds and families of events alone (default: all)', wordList)
    .option('--nations <a,b>', 'hear what is about one of these nations alone', wordList)
    .option('--alliances <a,b>', 'hear what is about one of these alliances alone', wordList)
    .option('--description <text>', 'what it is for')
    .option('--json', 'print one JSON document', false)
    .action((options: AddOptions) => addEndpoint(options, terminal))
    .addHelpText(
      'after',
      `
It hears from the moment that a test is answered with a status from 200 to 299: the one that is sent
now, or a later one (chancery webhooks test ID).

Examples:
  chancery webhooks add --nation n42 --url https://bot.example.com/events
  chancery webhooks add --nation n42 --url https://bot.example.com/wars \\
    --types 'war.*,strategic_weapon.launched' --alliances a1
  chancery webhooks add --player p7 --url https://bot.example.com/n1 --nations n1,n2 --json`,
    )
}

interface AddOptions extends Owner {
  url: string
  types?: string[]
  nations?: string[]
  alliances?: string[]
  description?: string
  json: boolean
}

async function addEndpoint(options: AddOptions, terminal: Terminal) {
  const { url, types, nations, alliances, description, json } = options
  const owner = requiredOwnerOf(options, 'endpoint')
  const door = openDoor(await findDoor(terminal.env))
  const wanted = { ...owner, url, description, types, nation_ids: nations, alliance_ids: alliances }
  const answer = await door.call('POST', '/webhooks', wanted)
  const endpoint = readEndpoint(answer)
  const test = readTest(answer)
  const text = [
    `id      ${endpoint.id}`,
    `secret  ${readSecret(answer)}`,
    '',
    'The secret is shown this once: keep it where messages are received, to check their signatures.',
    ...(test ? ['', testText(endpoint, test)] : []),
  ]
  print(terminal, json, answer, text.join('\n'))
}
