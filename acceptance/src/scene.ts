import { digText } from './json.ts'
import { allScopes, createKeys, type Keys } from './keys.ts'
import { Lacking } from './promise.ts'
import { readSettings } from './settings.ts'
import { openVisit, type Visit } from './visit.ts'
import { createWorld, type World } from './world.ts'

/** What the tests work with. */
export interface Scene {
  visit: Visit
  world: World
  keys: Keys
  close(): Promise<void>
}

/** What a test would be skipped for is nothing here; anything else is thrown. */
function skipped(reason: unknown): undefined {
  if (!(reason instanceof Lacking)) throw reason
}

const ownLimit = 1_000_000

/** Finds the server and a nation of its world, and makes a key of every scope with a limit that the suite does not reach. */
export async function openScene(env: NodeJS.ProcessEnv): Promise<Scene> {
  const visit = openVisit(readSettings(env))
  const world = createWorld(visit)
  const keys = createKeys(visit)
  if (visit.settings.operator) {
    const wanted = { scopes: allScopes, limit: ownLimit }
    // A player of our own looks around. Where the game has named no players it stays that one.
    visit.ownKey = (await keys.make({ ...wanted, playerId: 'acceptance' })).key
    await world.ready()
    const nationId = digText(await world.owner(), 'id')
    const made = await keys.make({ ...wanted, nationId }).catch(skipped)
    visit.ownKey = made?.key ?? visit.ownKey
  } else {
    await world.ready()
  }
  return {
    visit,
    world,
    keys,
    async close() {
      try {
        await keys.revokeAll()
      } finally {
        visit.close()
      }
    },
  }
}
