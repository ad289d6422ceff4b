import type { Command } from 'commander'
import { CommandError } from '../command-error.ts'
import { confirm } from '../confirm.ts'
import { findDoor } from '../door/environment.ts'
import { sendBatch } from '../door/one-batch.ts'
import { openDoor } from '../door/operator-door.ts'
import { counted } from '../numbers.ts'
import { wordList } from '../option-values.ts'
import { print, type Terminal } from '../terminal.ts'

export function addErase(program: Command, terminal: Terminal) {
  program
    .command('erase')
    .description(
      'forget a player: their nation’s texts and secrets, keys, codes, sessions, webhooks and journal',
    )
    .argument('<player-id>', 'of the player')
    .option('--nations <a,b>', 'nations that the player led before, besides the one of now', wordList)
    .option('--name <text>', 'what the nations are called from then on (default: Erased nation)')
    .option('--yes', 'do not ask', false)
    .option('--json', 'print one JSON document', false)
    .action((player: string, options: EraseOptions) => erase(player, options, terminal))
    .addHelpText(
      'after',
      `
There is no way back but a backup, and a backup that is restored is told again. Erase the player in the game first: what is told from
its rows next would bring the texts back. Then name every nation with --nations: whose it was is no longer known.

Examples:
  chancery erase p7
  chancery erase p7 --nations n5,n6 --name "Abandoned land" --yes`,
    )
}

interface EraseOptions {
  nations?: string[]
  name?: string
  yes: boolean
  json: boolean
}

async function erase(player: string, { nations, name, yes, json }: EraseOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const question = `Everything of the player ${player} will be erased${nations ? `, with the texts of ${nations.join(', ')}` : ''}.`
  if (!yes && !(await confirm(terminal, question, player))) throw new CommandError('nothing was erased')
  const fact = {
    op: 'erase',
    player,
    ...(nations ? { nations } : {}),
    ...(name === undefined ? {} : { name }),
  }
  const outcome = await sendBatch(door, 'erase', [fact])
  const nationCount = outcome.events ?? 0
  const found =
    nationCount > 0
      ? `, with ${counted(nationCount, 'nation')}`
      : `. Chancery knows no nation of ${player} now: if there was one, name it with --nations`
  print(terminal, json, outcome, `${player} is erased${found} (batch ${outcome.batch})`)
}
