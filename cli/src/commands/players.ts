import type { Command } from 'commander'
import { minute } from '../clock.ts'
import { findDoor } from '../door/environment.ts'
import { membersOf } from '../door/members.ts'
import { openDoor } from '../door/operator-door.ts'
import { grouped } from '../numbers.ts'
import { print, type Terminal } from '../terminal.ts'

export function addPlayers(program: Command, terminal: Terminal) {
  const players = program.command('players').description('suspend players, and let them in again')
  players
    .command('suspend')
    .description('let the keys of a player open nothing, and switch their webhooks off')
    .argument('<player-id>', 'of the player')
    .option('--note <text>', 'why, for whoever looks later')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: SuspendOptions) => suspendPlayer(id, options, terminal))
    .addHelpText(
      'after',
      '\nExamples:\n  chancery players suspend p7\n  chancery players suspend p7 --note "sold keys, see ticket 4711"',
    )
  players
    .command('resume')
    .description('let the keys of a player open what they did before')
    .argument('<player-id>', 'of the player')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: { json: boolean }) => resumePlayer(id, options, terminal))
    .addHelpText(
      'after',
      `
Webhooks that were switched off with the player stay off until somebody switches them on.

Examples:
  chancery players resume p7
  chancery webhooks enable whe_5bqk2yVh0TzD`,
    )
}

interface SuspendOptions {
  note?: string
  json: boolean
}

const pathOf = (id: string, action: string) => `/players/${encodeURIComponent(id)}/${action}`

async function suspendPlayer(id: string, { note, json }: SuspendOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('POST', pathOf(id, 'suspend'), { note: note ?? null })
  const { text, number } = membersOf(answer, 'a suspended player')
  const count = number('webhooks_disabled')
  const since = `${text('player_id')} is suspended since ${minute(text('suspended_at'))} (UTC).`
  const off = count === 0 ? '' : ` Webhook endpoints switched off: ${grouped(count)}.`
  print(terminal, json, answer, `${since}\nTheir keys open nothing.${off}`)
}

async function resumePlayer(id: string, { json }: { json: boolean }, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('POST', pathOf(id, 'resume'))
  const player = membersOf(answer, 'a player').text('player_id')
  const text = `${player} is let in again; webhooks that were switched off wait for chancery webhooks enable`
  print(terminal, json, answer, text)
}
