import { join } from 'node:path'
import { demoKeyPrefix, operatorOperations, type Scope, scopeNames } from '@chancery/contract'
import { type DemoViewer, demoViewers, type World } from '@chancery/simulator'
import Type, { type Static } from 'typebox'
import { readJsonFile, writeJsonFile } from '../json-file.ts'
import type { OperatorClient } from '../operator-client/operator-client.ts'

/** A player of the demo, with a key. */
const demoKey = Type.Object({
  kind: Type.String(),
  player_id: Type.String(),
  nation_id: Type.Union([Type.String(), Type.Null()]),
  nation_name: Type.Union([Type.String(), Type.Null()]),
  alliance_id: Type.Union([Type.String(), Type.Null()]),
  scopes: Type.Array(Type.Enum(scopeNames)),
  id: Type.String(),
  key: Type.String(),
})
export type DemoKey = Static<typeof demoKey>

type Viewer = Omit<DemoKey, 'id' | 'key'>

export const demoKeysName = 'demo-keys.json'

/** One player of each kind: they differ in scopes and alliance role. Call it after the history. */
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
    leaderOf(world, 'independent nation', independent, plain),
    leaderOf(world, 'alliance member', member, scopeNames),
    leaderOf(world, 'alliance officer', officer, scopeNames),
  ]
}

function leaderOf(
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

/** The keys of an earlier start; undefined without any. */
export async function readDemoKeys(dataDir: string): Promise<DemoKey[] | undefined> {
  return readJsonFile(join(dataDir, demoKeysName), Type.Array(demoKey))
}

/** Creates a key for each viewer without a valid one, and stores them all. */
export async function ensureDemoKeys(
  client: OperatorClient,
  dataDir: string,
  viewers: (Viewer | DemoKey)[],
): Promise<DemoKey[]> {
  const known = await client.call(operatorOperations.keysList)
  const valid = new Set(known.data.filter(key => key.revoked_at === null).map(key => key.id))
  const keys: DemoKey[] = []
  for (const viewer of viewers) {
    if ('key' in viewer && valid.has(viewer.id)) {
      keys.push(viewer)
      continue
    }
    const { player_id, scopes, kind } = viewer
    const { id, key } = await client.call(operatorOperations.keysCreate, {
      body: { player_id, scopes, name: demoKeyPrefix + kind },
    })
    keys.push({ ...viewer, id, key })
  }
  await writeJsonFile(join(dataDir, demoKeysName), keys)
  return keys
}
