import { digText } from './json.ts'
import { allScopes, createKeys, type Keys } from './keys.ts'
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

const ownLimit = 1_000_000

/** Finds the server and a nation of its world, and makes a key of every scope with a limit that the suite does not reach. */
export async function openScene(env: NodeJS.ProcessEnv): Promise<Scene> {
  const visit = openVisit(readSettings(env))
  const world = createWorld(visit)
  const keys = createKeys(visit)
  if (visit.settings.operator) {
    const wanted = { scopes: allScopes, limit: ownLimit }
    const nationId = digText(await world.owner(), 'id')
    // Where the game has named no players, a player of our own asks; those tests that need a nation's are skipped.
    const made = await keys
      .make({ ...wanted, nationId })
      .catch(() => keys.make({ ...wanted, playerId: 'acceptance' }))
    visit.ownKey = made.key
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
