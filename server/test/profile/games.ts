import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Attribute, type Profile, parseProfile } from '@chancery/contract'
import { type RunningServer, readConfig, startServer } from '../../src/index.ts'
import { createTestDatabase } from '../support/database.ts'
import { operateAt } from '../support/operator-client.ts'
import { patientTimings } from '../support/test-server.ts'
import { until } from '../support/until.ts'

const words = (...keys: string[]) => keys.map(key => ({ key, label: key }))
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

/** A game without a word of the demo's: the one that docs/operations/game-profile.md tells of, and a weapon. */
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
    resources: words('iron', 'timber', 'marble', 'grain'),
    ranks: [
      { key: 'consul', label: 'Consul', tier: 'leader' },
      { key: 'tribune', label: 'Tribune', tier: 'officer' },
      { key: 'citizen', label: 'Citizen', tier: 'member' },
    ],
    governments: words('res_publica', 'regnum'),
    continents: words('italia', 'africa'),
    war_types: words('bellum', 'incursio'),
    battle_kinds: words('field', 'at_sea'),
    treaty_types: words('foedus'),
    news_categories: words('acta'),
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

/** The small game, changed. */
export function changed(change: (profile: Profile) => void, from: Profile = smallGame): Profile {
  const profile = structuredClone(from)
  change(profile)
  return profile
}

export interface GameHost {
  databaseUrl: string
  /** Starts a server for a game on this database; `stop` and `close` end it. */
  start(profile: Profile): Promise<RunningServer>
  close(): Promise<void>
}

const operatorToken = 'operator-token-of-a-game'

/** A database of its own, served with one profile after another. */
export async function createGameHost(): Promise<GameHost> {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'chancery-profile-'))
  const running: RunningServer[] = []
  let files = 0
  return {
    databaseUrl: database.url,
    async start(profile) {
      files += 1
      const dataDir = join(folder, String(files))
      await mkdir(dataDir)
      const file = join(dataDir, 'game.json')
      await writeFile(file, JSON.stringify(profile))
      const server = await startServer(
        readConfig({
          CHANCERY_HOST: '127.0.0.1',
          CHANCERY_PORT: '0',
          CHANCERY_OPERATOR_PORT: '0',
          CHANCERY_ADMIN_TOKEN: operatorToken,
          CHANCERY_DATA_DIR: dataDir,
          CHANCERY_DATABASE_URL: database.url,
          CHANCERY_GAME_FILE: file,
          CHANCERY_LOG_LEVEL: 'silent',
          CHANCERY_ANONYMOUS_LIMIT: '1000000',
          CHANCERY_KEY_LIMIT: '1000000',
        }),
        patientTimings,
      )
      running.push(server)
      return server
    },
    async close() {
      for (const server of running) await server.close()
      await database.drop()
      await rm(folder, { recursive: true })
    },
  }
}

export async function operate(
  server: RunningServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await operateAt(server.operatorUrl, operatorToken)(method, path, body, headers)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

let batches = 0

/** Tells facts as one batch. */
export async function ingest(server: RunningServer, facts: object[]): Promise<void> {
  batches += 1
  const { status, body } = await operate(
    server,
    'POST',
    '/facts',
    { facts },
    { 'idempotency-key': `b${batches}` },
  )
  if (status !== 200) throw new Error(`a batch was not applied: ${JSON.stringify(body)}`)
}

export const put = (resource: string, data: object) => ({ op: 'put', resource, data })

/** Sends a batch as lines, again where the database was not heard for a moment. Returns what became of it. */
export async function sendLines(server: RunningServer, lines: string): Promise<{ status: string }> {
  let outcome: { status: string } = { status: 'unavailable' }
  await until(async () => {
    const response = await fetch(`${server.operatorUrl}/facts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/x-ndjson' },
      body: lines,
    })
    outcome = JSON.parse(await response.text()) as { status: string }
    return outcome.status !== 'unavailable'
  }, 'the batch is decided')
  return outcome
}

/** Reads a path of the public API: the status and the parsed body. */
export async function read(server: RunningServer, path: string, key?: string) {
  const response = await fetch(`${server.publicUrl}/api/v1${path}`, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  return { status: response.status, text, data: (JSON.parse(text) as { data: never }).data as never }
}
