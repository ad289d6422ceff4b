import type { ChanceryCommand, Context, Result } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { formatCount } from '../format.ts'
import { sendBatch } from '../operator-client/send-facts.ts'
import { wordList } from '../options.ts'
import { confirm } from '../terminal.ts'

export function addErase(program: ChanceryCommand) {
  program
    .command('erase')
    .description(
      'erase a player: texts and secrets of their nation, keys, codes, sessions, webhooks and request log',
    )
    .argument('<player-id>', 'id of the player')
    .option('--nations <a,b>', 'nations that the player led before, in addition to the present one', wordList)
    .option('--name <text>', 'the new name of the nations (default: Erased nation)')
    .option('--yes', 'do not prompt', false)
    .prints(erase)
    .details(`
It cannot be undone; a restored backup is erased again. Erase the player in the game first: otherwise its next
facts restore the texts. Then pass every nation with --nations: the service no longer stores who led it.

Examples:
  chancery erase p7
  chancery erase p7 --nations n5,n6 --name "Abandoned land" --yes`)
}

interface EraseOptions {
  nations?: string[]
  name?: string
  yes: boolean
}

async function erase(
  { client, terminal }: Context,
  player: string,
  { nations, name, yes }: EraseOptions,
): Promise<Result> {
  const opened = await client()
  const warning = `All data of the player ${player} will be erased${nations ? `, with the texts of ${nations.join(', ')}` : ''}.`
  if (!yes && !(await confirm(terminal, warning, player))) throw new CommandError('nothing was erased')
  const outcome = await sendBatch(opened, 'erase', [{ op: 'erase', player, nations, name }])
  const nationCount = outcome.events ?? 0
  const found =
    nationCount > 0
      ? `, with ${formatCount(nationCount, 'nation')}`
      : `. No nation of ${player} is stored. If the player led one, pass it with --nations.`
  return [outcome, `${player} is erased${found} (batch ${outcome.batch})`]
}
