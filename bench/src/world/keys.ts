import { scopes } from '@chancery/contract'
import type { Served } from '../served.ts'

const keyCount = 16

/** Keys of one player with every scope, each with a limit of its own that is out of reach. */
export async function makeKeys(door: Served, player: string, limit: number): Promise<string[]> {
  const keys: string[] = []
  for (let index = 0; index < keyCount; index += 1) {
    const wish = { player_id: player, name: `bench ${index}`, scopes: Object.keys(scopes) }
    const made = await door.operate<{ id: string; key: string }>('POST', '/keys', wish)
    await door.operate('PUT', `/keys/${made.id}/limit`, { limit, note: 'bench' })
    keys.push(made.key)
  }
  return keys
}
