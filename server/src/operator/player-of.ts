import { notFound } from '../http/api-error.ts'
import { findPlayerOfNation } from '../resources/nations/store.ts'
import type { OperatorContext } from './context.ts'
import { OperatorError } from './operator-error.ts'

interface PlayerNamed {
  nation_id?: string | undefined
  player_id?: string | undefined
}

/** The player that is named. @throws where none or two are, or nobody knows whose nation it is. */
export async function findPlayer(
  { pools }: Pick<OperatorContext, 'pools'>,
  { nation_id, player_id }: PlayerNamed,
): Promise<string> {
  if ((nation_id === undefined) === (player_id === undefined))
    throw new OperatorError('bad_request', 'Name the player by one nation_id or by one player_id.')
  if (player_id !== undefined) return player_id
  const player = await findPlayerOfNation({ pools }, nation_id ?? '')
  if (player === undefined) throw notFound('nation')
  if (player === null)
    throw new OperatorError('bad_request', 'The game has not said which player leads this nation.')
  return player
}

/** Holds that a player whose turn it is, or was, is still the one that is named. @throws where the nation has another by now. */
export async function assertOwnerUnchanged(
  playerId: string,
  context: Pick<OperatorContext, 'pools'>,
  named: PlayerNamed,
): Promise<void> {
  // Whoever was forgotten meanwhile leads no nation any more.
  if ((await findPlayer(context, named)) !== playerId)
    throw new OperatorError('bad_request', 'The nation has just got another player: try again.')
}

/** The player of a query, where one is named. */
export async function findPlayerOfQuery(
  context: Pick<OperatorContext, 'pools'>,
  query: PlayerNamed,
): Promise<string | undefined> {
  const isNamed = query.nation_id !== undefined || query.player_id !== undefined
  return isNamed ? findPlayer(context, query) : undefined
}
