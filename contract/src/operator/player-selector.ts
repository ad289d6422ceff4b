import Type from 'typebox'
import { id, strictObject } from '../shared-schemas.ts'

/** Members of a body or query that name a player: exactly one of the two. */
export const playerMembers = {
  nation_id: Type.Optional(
    id({ description: 'The player who leads this nation at present.', example: 'n42' }),
  ),
  player_id: Type.Optional(id({ description: 'The player’s id.', example: 'p42' })),
}

/** A query that may name a player. Default: all players. */
export const ofPlayer = strictObject({
  nation_id: Type.Optional(
    Type.String({ description: 'Only of the player who leads this nation at present.', example: 'n42' }),
  ),
  player_id: Type.Optional(Type.String({ description: 'Only of this player.', example: 'p42' })),
})
