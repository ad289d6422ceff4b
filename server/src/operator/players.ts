import { idPattern, operatorOperations } from '@chancery/contract'
import { exportPlayer, findPlayerById, listPlayers } from '../access/players.ts'
import { resumePlayer, suspendPlayer } from '../access/store.ts'
import { notFound } from '../http/http-error.ts'
import { findPlayerOfNation } from '../resources/nations/store.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { OperatorError } from './operator-error.ts'

const idForm = new RegExp(idPattern)

/** Players, what is stored about them, and suspensions. */
export function playerRoutes(
  define: DefineOperatorOperation,
  { pools, pulse, webhooks }: OperatorContext,
): void {
  define(operatorOperations.playersList, async ({ query: { limit = 100, ...filter } }) => ({
    body: { data: await listPlayers(pools.access, { ...filter, limit }) },
  }))

  define(operatorOperations.playersGet, async ({ id }) => {
    const player = await findPlayerById(pools.access, id)
    if (!player) throw notFound('player')
    return { body: player }
  })

  define(operatorOperations.playersExport, async ({ id: player_id }) => {
    // The audit log may list earlier requests with an id that no player can have.
    if (!idForm.test(player_id)) throw notFound('player')
    const held = await exportPlayer(pools.ingest, player_id)
    if (Object.keys(held.tables).length === 0) throw notFound('player')
    return { body: { player_id, ...held } }
  })

  define(operatorOperations.playersSuspend, async ({ id: player_id, body: { note = null } }) => {
    // The player need not be known yet, but the id must be valid.
    if (!idForm.test(player_id))
      throw new OperatorError('bad_request', 'The id of a player is 1 to 64 of A-Z a-z 0-9 _ and -.')
    const { suspendedAt } = await suspendPlayer(pools.access, player_id, note)
    const webhooks_disabled = await webhooks.disableAllOf(player_id, 'player_suspended')
    await pulse.refresh()
    return { body: { player_id, suspended_at: suspendedAt, note, webhooks_disabled } }
  })

  define(operatorOperations.playersResume, async ({ id: player_id }) => {
    if (!(await resumePlayer(pools.access, player_id))) throw notFound('suspension of this player')
    await pulse.refresh()
    return { body: { player_id, suspended_at: null } }
  })
}

interface PlayerSelector {
  nation_id?: string | undefined
  player_id?: string | undefined
}

/** The selected player. @throws {OperatorError} unless exactly one selector is given and the nation has a known player. */
export async function findPlayer(
  { pools }: Pick<OperatorContext, 'pools'>,
  { nation_id, player_id }: PlayerSelector,
): Promise<string> {
  if ((nation_id === undefined) === (player_id === undefined))
    throw new OperatorError('bad_request', 'Exactly one of nation_id and player_id is required.')
  if (player_id !== undefined) return player_id
  const player = await findPlayerOfNation({ pools }, nation_id ?? '')
  if (player === undefined) throw notFound('nation')
  if (player === null) throw new OperatorError('bad_request', 'No player is known for this nation.')
  return player
}

/** Checks, under the player's lock, that the selected nation still has this player. @throws {OperatorError} otherwise. */
export async function assertOwnerUnchanged(
  playerId: string,
  context: Pick<OperatorContext, 'pools'>,
  selector: PlayerSelector,
): Promise<void> {
  // A player deleted meanwhile leads no nation.
  if ((await findPlayer(context, selector)) !== playerId)
    throw new OperatorError('bad_request', 'The nation changed its player during the request. Try again.')
}

/** The player selected in a query; undefined for none. */
export async function findPlayerOfQuery(
  context: Pick<OperatorContext, 'pools'>,
  query: PlayerSelector,
): Promise<string | undefined> {
  const isNamed = query.nation_id !== undefined || query.player_id !== undefined
  return isNamed ? findPlayer(context, query) : undefined
}
