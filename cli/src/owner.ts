import { UsageError } from './command-error.ts'

/** The options by which a command names a player. */
export interface Owner {
  nation?: string
  player?: string
}

/** The player as the operator listener is told of them. Throws a UsageError for both: there is one owner. */
function ownerOf({ nation, player }: Owner): { nation_id: string } | { player_id: string } | undefined {
  if (nation !== undefined && player !== undefined)
    throw new UsageError('name either --nation or --player, not both')
  if (nation !== undefined) return { nation_id: nation }
  return player === undefined ? undefined : { player_id: player }
}

/** Throws a UsageError where none is named, for what must belong to somebody. */
export function requiredOwnerOf(options: Owner, thing: string) {
  const owner = ownerOf(options)
  if (!owner) throw new UsageError(`name the owner of the ${thing}: --nation ID or --player ID`)
  return owner
}

/** The path of a list: of one player where one is named, or of all. */
export function listPath(path: string, options: Owner): string {
  const query = new URLSearchParams(ownerOf(options))
  return query.size > 0 ? `${path}?${query}` : path
}
