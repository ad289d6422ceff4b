import { operatorOperations } from '@chancery/contract'
import type { Command } from 'commander'
import { formatMinute, formatNumber } from '../format.ts'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import { print, type Terminal } from '../terminal.ts'

export function addPlayers(program: Command, terminal: Terminal) {
  const players = program.command('players').description('suspend and resume players')
  players
    .command('suspend')
    .description('suspend a player: reject their keys and disable their webhooks')
    .argument('<player-id>', 'id of the player')
    .option('--note <text>', 'the reason, for other operators')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: SuspendOptions) => suspendPlayer(id, options, terminal))
    .addHelpText(
      'after',
      '\nExamples:\n  chancery players suspend p7\n  chancery players suspend p7 --note "sold keys, see ticket 4711"',
    )
  players
    .command('resume')
    .description('end a suspension: the keys of the player work again')
    .argument('<player-id>', 'id of the player')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: { json: boolean }) => resumePlayer(id, options, terminal))
    .addHelpText(
      'after',
      `
Webhook endpoints that the suspension disabled stay disabled until they are enabled.

Examples:
  chancery players resume p7
  chancery webhooks enable whe_5bqk2yVh0TzD`,
    )
}

interface SuspendOptions {
  note?: string
  json: boolean
}

async function suspendPlayer(id: string, { note, json }: SuspendOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const body = { note: note ?? null }
  const player = await client.call(operatorOperations.playersSuspend, { id, body })
  const count = player.webhooks_disabled
  const since = `${player.player_id} is suspended since ${formatMinute(player.suspended_at)} (UTC).`
  const disabled = count === 0 ? '' : ` Webhook endpoints disabled: ${formatNumber(count)}.`
  print(terminal, json, player, `${since}\nTheir keys are rejected.${disabled}`)
}

async function resumePlayer(id: string, { json }: { json: boolean }, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const player = await client.call(operatorOperations.playersResume, { id })
  const text = `${player.player_id} is no longer suspended; enable disabled webhook endpoints with chancery webhooks enable`
  print(terminal, json, player, text)
}
