import { type Client, createClient } from './client.ts'
import { digText } from './json.ts'
import { allScopes, createKeys, type Keys } from './keys.ts'
import { readSettings } from './settings.ts'
import { SkipError } from './spec-test.ts'
import { createWorld, type World } from './world.ts'

/** What the tests work with. */
export interface Fixture {
  client: Client
  world: World
  keys: Keys
  close(): Promise<void>
}

/** What a test would be skipped for is nothing here; anything else is thrown. */
function ignoreSkip(reason: unknown): undefined {
  if (!(reason instanceof SkipError)) throw reason
}

const ownLimit = 1_000_000

/** Finds the server and a nation of its world, and makes a key of every scope with a limit that the suite does not reach. */
export async function openFixture(env: NodeJS.ProcessEnv): Promise<Fixture> {
  const client = createClient(readSettings(env))
  const world = createWorld(client)
  const keys = createKeys(client)
  if (client.settings.operator) {
    const wanted = { scopes: allScopes, limit: ownLimit }
    // A player of our own looks around. Where the game has named no players it stays that one.
    client.ownKey = (await keys.make({ ...wanted, playerId: 'acceptance' })).key
    await world.ready()
    const nationId = digText(await world.owner(), 'id')
    const made = await keys.make({ ...wanted, nationId }).catch(ignoreSkip)
    client.ownKey = made?.key ?? client.ownKey
  } else {
    await world.ready()
  }
  return {
    client,
    world,
    keys,
    async close() {
      try {
        await keys.revokeAll()
      } finally {
        client.close()
      }
    },
  }
}
