import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import { dig, digText } from './json.ts'
import { skip } from './spec-test.ts'

export interface NewKey {
  /** The nation whose player gets the key. */
  nationId?: string
  playerId?: string
  scopes?: readonly string[]
  /** Calls in a window; left out, the server's own limit for keys. */
  limit?: number
}

export interface Key {
  id: string
  key: string
}

/** Keys that this run creates through the operator API and revokes. */
export interface Keys {
  make(key: NewKey): Promise<Key>
  revoke(key: Key): Promise<void>
  revokeAll(): Promise<void>
}

export const allScopes = [
  'nation.read',
  'military.read',
  'economy.read',
  'production.read',
  'alliance.read',
  'treasury.read',
] as const

export function createKeys(client: Client): Keys {
  const made: Key[] = []
  const keys: Keys = {
    async make({ nationId, playerId, scopes, limit }) {
      const { status, json } = await client.requestOperator('POST', '/keys', {
        ...(playerId === undefined ? { nation_id: nationId } : { player_id: playerId }),
        name: 'acceptance',
        ...(scopes ? { scopes } : {}),
        ...(limit === undefined ? {} : { limit }),
      })
      // The game may not send which player leads a nation: then there are no keys for it.
      if (status === 400) skip(`a key for ${nationId} is refused: ${dig(json, 'error.message')}`)
      assert.equal(status, 201, `POST /keys: ${JSON.stringify(json)}`)
      const key = { id: digText(json, 'id'), key: digText(json, 'key') }
      made.push(key)
      return key
    },
    async revoke({ id }) {
      const { status, json } = await client.requestOperator('POST', `/keys/${id}/revoke`)
      assert.equal(status, 200, `POST /keys/${id}/revoke: ${JSON.stringify(json)}`)
    },
    async revokeAll() {
      for (const key of made.splice(0)) await keys.revoke(key)
    },
  }
  return keys
}
