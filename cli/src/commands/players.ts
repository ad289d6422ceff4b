import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatMinute, formatNumber } from '../format.ts'

export function addPlayers(program: ChanceryCommand) {
  const players = program.command('players').description('suspend and resume players')
  players
    .command('suspend')
    .description('suspend a player: reject their keys and disable their webhooks')
    .argument('<player-id>', 'id of the player')
    .option('--note <text>', 'the reason, for other operators')
    .prints(suspendPlayer)
    .details(
      '\nExamples:\n  chancery players suspend p7\n  chancery players suspend p7 --note "sold keys, see ticket 4711"',
    )
  players
    .command('resume')
    .description('end a suspension: the keys of the player work again')
    .argument('<player-id>', 'id of the player')
    .prints(resumePlayer)
    .details(`
Webhook endpoints that the suspension disabled stay disabled until they are enabled.

Examples:
  chancery players resume p7
  chancery webhooks enable whe_5bqk2yVh0TzD`)
}

interface SuspendOptions {
  note?: string
}

async function suspendPlayer({ call }: Context, id: string, { note }: SuspendOptions): Promise<Result> {
  const body = { note: note ?? null }
  const player = await call(operatorOperations.playersSuspend, { id, body })
  const count = player.webhooks_disabled
  const since = `${player.player_id} is suspended since ${formatMinute(player.suspended_at)} (UTC).`
  const disabled = count === 0 ? '' : ` Webhook endpoints disabled: ${formatNumber(count)}.`
  return [player, `${since}\nTheir keys are rejected.${disabled}`]
}

async function resumePlayer({ call }: Context, id: string): Promise<Result> {
  const player = await call(operatorOperations.playersResume, { id })
  const text = `${player.player_id} is no longer suspended; enable disabled webhook endpoints with chancery webhooks enable`
  return [player, text]
}
