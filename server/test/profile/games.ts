import { type Attribute, type Profile, parseProfile } from '@chancery/contract'
import { createTestDatabase } from '../support/database.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'

const enumKeys = (...keys: string[]) => keys.map(key => ({ key, label: key }))
const unit = (key: string, more: object = {}) => ({
  key,
  label: key,
  is_strategic: false,
  shows_in_losses: true,
  ...more,
})

export const attribute = (key: string, more: Partial<Attribute> = {}): Attribute => ({
  key,
  type: 'string',
  description: 'An attribute.',
  class: 'public',
  example: null,
  ...more,
})

/** A game without a key of the demo's: the one of docs/operations/game-profile.md, and a weapon. */
export const smallGame: Profile = parseProfile(
  JSON.stringify({
    name: 'Imperium Minor',
    url: 'https://imperium.example',
    currency: { key: 'gold', label: 'Gold' },
    units: [
      unit('legionary'),
      unit('cavalry'),
      unit('galley'),
      unit('speculator', { shows_in_losses: false }),
      unit('greek_fire', { is_strategic: true, shows_in_losses: false }),
    ],
    resources: enumKeys('iron', 'timber', 'marble', 'grain'),
    ranks: [
      { key: 'consul', label: 'Consul', tier: 'leader' },
      { key: 'tribune', label: 'Tribune', tier: 'officer' },
      { key: 'citizen', label: 'Citizen', tier: 'member' },
    ],
    governments: enumKeys('res_publica', 'regnum'),
    continents: enumKeys('italia', 'africa'),
    nation_statuses: [{ key: 'exul', label: 'In exile', is: 'inactive' }],
    war_outcomes: [{ key: 'indutiae', label: 'Truce', is: 'peace' }],
    war_types: enumKeys('bellum', 'incursio'),
    battle_kinds: enumKeys('field', 'at_sea'),
    treaty_types: enumKeys('foedus'),
    news_categories: enumKeys('acta'),
    pages: { nation: 'https://imperium.example/country/{id}', alliance: null, war: null },
    event_kinds: [
      {
        type: 'game.omen',
        description: 'An omen was seen.',
        data: { bird: { type: 'string', description: 'Which bird.' } },
      },
    ],
    attributes: {
      nation: [
        attribute('patron'),
        attribute('auspices', { class: 'player_private', scope: 'economy.read' }),
        attribute('corruption', { type: 'integer', class: 'admin_only' }),
      ],
      alliance: [
        attribute('forum'),
        attribute('plot', { class: 'alliance_private', scope: 'treasury.read' }),
        attribute('watched', { type: 'boolean', class: 'admin_only' }),
      ],
    },
  }),
)

/** The small game, or another one, with a change. */
export function changed(change: (profile: Profile) => void, from: Profile = smallGame): Profile {
  const profile = structuredClone(from)
  change(profile)
  return profile
}

/** A database that is served with one profile after another. */
export interface GameHost {
  databaseUrl: string
  /** Starts a server for a game on this database, which is closed with the host at the latest. */
  start(profile: Profile): Promise<TestServer>
  close(): Promise<void>
}

export async function createGameHost(): Promise<GameHost> {
  const database = await createTestDatabase()
  const running: TestServer[] = []
  return {
    databaseUrl: database.url,
    async start(profile) {
      const server = await startTestServer({}, { databaseUrl: database.url, profile })
      running.push(server)
      return server
    },
    async close() {
      for (const server of running) await server.close()
      await database.drop()
    },
  }
}

export const ingest = (server: TestServer, facts: Fact[]) => server.ingest(facts, { waits: false })

export const put = (resource: string, data: object): Fact => ({ op: 'put', resource, data })

/** Reads a path of the public API: the status, the text and the parsed data. */
export async function read<T = Record<string, unknown>>(server: TestServer, path: string, key?: string) {
  const response = await server.get(path, key === undefined ? {} : { key })
  const text = await response.text()
  return { status: response.status, text, data: (JSON.parse(text) as { data: T }).data }
}
