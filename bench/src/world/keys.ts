import { scopes } from '@chancery/contract'
import type { Served } from '../served.ts'

/** A key of each player with every scope, and with a limit of its own that is out of reach. */
export async function makeKeys(door: Served, players: readonly string[], limit: number): Promise<string[]> {
  const keys: string[] = []
  for (const player of players) {
    const wish = { player_id: player, name: 'bench', scopes: Object.keys(scopes) }
    const made = await door.operate<{ id: string; key: string }>('POST', '/keys', wish)
    await door.operate('PUT', `/keys/${made.id}/limit`, { limit, note: 'bench' })
    keys.push(made.key)
  }
  return keys
}
