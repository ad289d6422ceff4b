import type { Client } from '../client.ts'
import { dig, digText } from '../json.ts'
import { allScopes, type Keys } from '../keys.ts'
import type { World } from '../world.ts'

/** A caller and its rights. */
export interface Caller {
  /** Shown in place of the key. */
  name: string
  /** The Authorization header; undefined for none. */
  authorization: string | undefined
  /** `anonymous` has no key, `wrong` one that must be rejected. */
  kind: 'anonymous' | 'known' | 'wrong'
  scopes: readonly string[]
  hasNation: boolean
}

export const anonymous: Caller = {
  name: 'anonymous',
  authorization: undefined,
  kind: 'anonymous',
  scopes: [],
  hasNation: false,
}
export const known = (
  name: string,
  authorization: string,
  scopes: readonly string[],
  hasNation = true,
): Caller => ({
  name,
  authorization,
  kind: 'known',
  scopes,
  hasNation,
})
export const wrong = (name: string, authorization: string): Caller => ({
  ...anonymous,
  kind: 'wrong',
  name,
  authorization,
})

const invalidKeys = [
  wrong('a word', 'Bearer'),
  wrong('an empty key', 'Bearer '),
  wrong('no bearer', 'Basic dXNlcjpwYXNzd29yZA=='),
  wrong('another scheme', 'Token chk_00000000000000000000000000000000000000'),
  wrong('a key of the right form', 'Bearer chk_00000000000000000000000000000000000000'),
  wrong('a long key', `Bearer ${'x'.repeat(2_000)}`),
  wrong('something', 'Bearer ../../etc/passwd'),
]

/** Callers of every kind. Without the operator API only the given key, no key and invalid keys. */
export async function createCallers(
  client: Client,
  world: World,
  keys: Keys,
  limit: number,
): Promise<Caller[]> {
  const given = client.settings.key
  if (!client.settings.operator)
    return [anonymous, ...invalidKeys, ...(given === undefined ? [] : [await callerOfKey(client, given)])]
  const nationId = digText(await world.owner(), 'id')
  const owner = await keys.make({ nationId, scopes: allScopes, limit })
  const narrow = await keys.make({ nationId, scopes: ['nation.read'], limit })
  const homeless = await keys.make({ playerId: 'a-player-of-no-nation', scopes: allScopes, limit })
  const revoked = await keys.make({ nationId, scopes: allScopes })
  await keys.revoke(revoked)
  return [
    anonymous,
    known('OWNER_KEY', `Bearer ${owner.key}`, allScopes),
    known('OWNER_KEY', `bearer  ${owner.key} `, allScopes),
    known('KEY_WITH_NATION_READ', `Bearer ${narrow.key}`, ['nation.read']),
    known('KEY_OF_NO_NATION', `BEARER ${homeless.key}`, allScopes, false),
    wrong('a revoked key', `Bearer ${revoked.key}`),
    wrong('a mistyped key', `Bearer ${owner.key.slice(0, -1)}${owner.key.endsWith('0') ? '1' : '0'}`),
    wrong('a key and more', `Bearer ${owner.key} x`),
    wrong('a key without its scheme', owner.key),
    ...invalidKeys,
  ]
}

async function callerOfKey(client: Client, key: string): Promise<Caller> {
  const { json } = await client.request('/api/v1/me/key', { key })
  const scopes = dig(json, 'data.scopes')
  const nation = dig(json, 'data.nation')
  return known('KEY', `Bearer ${key}`, Array.isArray(scopes) ? scopes.map(String) : [], Boolean(nation))
}
