import { join } from 'node:path'
import { type Scope, scopeNames } from '@chancery/contract'
import { type DemoViewer, demoViewers, type World } from '@chancery/simulator'
import { readKeys, readNewKey } from '../door/key-record.ts'
import type { OperatorDoor } from '../door/operator-door.ts'
import { isRecord } from '../record.ts'
import { readStored, writeStored } from '../stored-json.ts'

/** A player to look at the world as, with a key. */
export interface DemoKey {
  kind: string
  player_id: string
  nation_id: string | null
  nation_name: string | null
  alliance_id: string | null
  scopes: string[]
  id: string
  key: string
}

type Viewer = Omit<DemoKey, 'id' | 'key'>

export const demoKeysName = 'demo-keys.json'

/** One player of each kind: what the scopes and the standing of each open differs. Call it when the history is over. */
export function viewersOf(world: World): Viewer[] {
  const nationless: Viewer = {
    kind: 'player without a nation',
    player_id: 'demo-visitor',
    nation_id: null,
    nation_name: null,
    alliance_id: null,
    scopes: ['nation.read'],
  }
  const { independent, member, officer } = demoViewers(world)
  const plain: Scope[] = ['nation.read']
  return [
    nationless,
    leading(world, 'independent nation', independent, plain),
    leading(world, 'alliance member', member, scopeNames),
    leading(world, 'alliance officer', officer, scopeNames),
  ]
}

function leading(
  { state }: World,
  kind: string,
  { nationId, playerId }: DemoViewer,
  scopes: readonly Scope[],
): Viewer {
  const nation = state.nations.find(({ id }) => id === nationId)
  return {
    kind,
    player_id: playerId,
    nation_id: nationId,
    nation_name: nation?.name ?? null,
    alliance_id: nation?.alliance?.id ?? null,
    scopes: [...scopes],
  }
}

/** The keys kept from an earlier start; undefined where there are none. */
export async function readDemoKeys(dataDir: string): Promise<DemoKey[] | undefined> {
  const stored = await readStored(join(dataDir, demoKeysName))
  return Array.isArray(stored) && stored.every(isDemoKey) ? stored : undefined
}

/** Makes a key for each viewer that has none which the service knows, and keeps them all. */
export async function ensureDemoKeys(
  door: OperatorDoor,
  dataDir: string,
  viewers: (Viewer | DemoKey)[],
): Promise<DemoKey[]> {
  const known = readKeys(await door.call('GET', '/keys'))
  const living = new Set(known.filter(key => key.revoked_at === null).map(key => key.id))
  const keys: DemoKey[] = []
  for (const viewer of viewers) {
    if ('key' in viewer && living.has(viewer.id)) {
      keys.push(viewer)
      continue
    }
    const { player_id, scopes, kind } = viewer
    const { id, key } = readNewKey(
      await door.call('POST', '/keys', { player_id, scopes, name: `demo: ${kind}` }),
    )
    keys.push({ ...viewer, id, key })
  }
  await writeStored(join(dataDir, demoKeysName), keys)
  return keys
}

const isTextOrNull = (value: unknown) => value === null || typeof value === 'string'

const isDemoKey = (value: unknown): value is DemoKey =>
  isRecord(value) &&
  ['kind', 'player_id', 'id', 'key'].every(member => typeof value[member] === 'string') &&
  ['nation_id', 'nation_name', 'alliance_id'].every(member => isTextOrNull(value[member])) &&
  Array.isArray(value.scopes)
