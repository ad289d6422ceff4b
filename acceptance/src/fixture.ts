import { type Client, createClient } from './client.ts'
import { type Api, readApi } from './fuzz/document.ts'
import { digText } from './json.ts'
import { allScopes, createKeys, type Keys } from './keys.ts'
import { createDocumentCheck, type Read, readsOf } from './operations.ts'
import { readSettings } from './settings.ts'
import { SkipError } from './spec-test.ts'
import { createWorld, type World } from './world.ts'

/** The server under test. */
export interface Fixture {
  api: Api
  /** The documented reads. */
  reads: readonly Read[]
  client: Client
  world: World
  keys: Keys
  close(): Promise<void>
}

/** Ignores a missing precondition; throws other errors. */
function ignoreSkip(reason: unknown): undefined {
  if (!(reason instanceof SkipError)) throw reason
}

const ownLimit = 1_000_000

/** Opens the server and creates a key of a nation with every scope and a limit that the suite does not reach. */
export async function openFixture(env: NodeJS.ProcessEnv): Promise<Fixture> {
  const settings = readSettings(env)
  const api = await readApi(settings.baseUrl)
  const client = createClient(settings, createDocumentCheck(api))
  const world = createWorld(client)
  const keys = createKeys(client)
  if (client.settings.operator) {
    const wanted = { scopes: allScopes, limit: ownLimit }
    // A player without a nation; it stays the caller if the game has not sent its players.
    client.ownKey = (await keys.make({ ...wanted, playerId: 'acceptance' })).key
    await world.ready()
    const nationId = digText(await world.owner(), 'id')
    const made = await keys.make({ ...wanted, nationId }).catch(ignoreSkip)
    client.ownKey = made?.key ?? client.ownKey
  } else {
    await world.ready()
  }
  return {
    api,
    reads: readsOf(api),
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
