import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bases, type Profile, type Scope } from '@chancery/contract'
import { type ConfigDefaults, type RunningServer, readConfig, startServer } from '../../src/index.ts'
import type { ServerTimings } from '../../src/start/server.ts'
import { createTestDatabase } from './database.ts'
import { query } from './database-url.ts'
import { type Operate, operateAt } from './operator-client.ts'
import { until } from './until.ts'

export type Fact = Record<string, unknown>

export interface Outcome {
  batch: string | null
  status: string
  facts: number
  events: number
  last_seq: number | null
  refused: { line: number; path: string; reason: string }[]
  is_kept: boolean
}

/** A server in this process, requested over HTTP. */
export interface TestServer {
  /** The public listener's address. */
  url: string
  operatorUrl: string
  operatorToken: string
  dataDir: string
  databaseUrl: string
  /** Reads a path below a base (default: the canonical one). */
  get(
    path: string,
    options?: { key?: string; base?: string; headers?: Record<string, string> },
  ): Promise<Response>
  /** The parsed body of a response with status 200. */
  read<T = unknown>(path: string, options?: { key?: string }): Promise<T>
  /** Sends a request to the operator listener. */
  operate: Operate
  /** Applies facts as one batch and waits until rankings and lists include them. Throws if the batch is rejected. */
  ingest(facts: Fact[], options?: { announce?: boolean; batch?: string; waits?: boolean }): Promise<Outcome>
  /** Sends a stream of facts; returns the outcome of each batch. */
  send(ndjson: string | Uint8Array, options?: { check?: boolean }): Promise<Outcome[]>
  makeKey(
    owner: { nation_id: string } | { player_id: string },
    scopes?: Scope[],
    more?: object,
  ): Promise<{ id: string; key: string }>
  makeCode(nationId: string, account?: string): Promise<string>
  /** Runs one statement as the owner of the database. */
  query<R = Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>
  close(): Promise<void>
}

export interface TestServerOptions {
  /** Applied at the start. */
  facts?: Fact[]
  /** Defaults that a command of the CLI sets. */
  defaults?: Partial<ConfigDefaults>
  /** Default: the demo's. */
  profile?: Profile
  /** An existing database, which is kept; default: a new one, which is dropped with the server. */
  databaseUrl?: string
  /** Default: `longTimeouts`. */
  timings?: ServerTimings
}

/**
 * Timeouts that a busy machine does not reach, and immediate ranking rounds and retries. Tests of timeouts and outages pass `{}`, the times of a real
 * server.
 */
export const longTimeouts: ServerTimings = {
  databaseTimeoutFactor: 40,
  limitsTimeoutMs: 20_000,
  connectionTimings: { headMs: 120_000, requestMs: 120_000 },
  rankingPauseMs: 5,
  // A single process never returns former content.
  changeDelayMs: 0,
  // Tests of rankings hold the lock of rounds.
  snapshotLockTimeoutMs: 500,
  retryPauseMs: 5,
}

const operatorToken = 'operator-token-of-a-test'

/** Writes a game profile to a data directory. Returns the configuration that names it. */
export async function writeProfile(dataDir: string, profile?: Profile): Promise<Record<string, string>> {
  if (!profile) return {}
  const file = join(dataDir, 'game.json')
  await writeFile(file, JSON.stringify(profile))
  return { CHANCERY_GAME_FILE: file }
}

/** The configuration of a server of a test; `env` overrides it. Rate limits are high. */
export const testConfig = (databaseUrl: string, dataDir: string, env: Record<string, string> = {}) => ({
  CHANCERY_HOST: '127.0.0.1',
  CHANCERY_PORT: '0',
  CHANCERY_OPERATOR_PORT: '0',
  CHANCERY_ADMIN_TOKEN: operatorToken,
  CHANCERY_DATA_DIR: dataDir,
  CHANCERY_DATABASE_URL: databaseUrl,
  CHANCERY_ANONYMOUS_LIMIT: '1000000',
  CHANCERY_KEY_LIMIT: '1000000',
  CHANCERY_STREAMS_PER_KEY: '1000000',
  CHANCERY_STREAMS_PER_IP: '1000000',
  CHANCERY_LOG_LEVEL: 'silent',
  ...env,
})

/** Start in `before` of a test file, `close` in its `after`. `env` overrides configuration. Rate limits are high unless set. */
export async function startTestServer(
  env: Record<string, string> = {},
  { facts, defaults = {}, profile, databaseUrl, timings = longTimeouts }: TestServerOptions = {},
): Promise<TestServer> {
  const database =
    databaseUrl === undefined ? await createTestDatabase() : { url: databaseUrl, drop: async () => {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-test-'))
  const release = async () => {
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const gameFile = await writeProfile(dataDir, profile)
  const config = readConfig(testConfig(database.url, dataDir, { ...gameFile, ...env }), defaults)
  const server = await startServer(config, timings).catch(async (error: unknown) => {
    await release()
    throw error
  })

  const operate = operateAt(server.operatorUrl, operatorToken)

  const get: TestServer['get'] = (path, { key, base = bases.canonical, headers = {} } = {}) =>
    fetch(server.publicUrl + base + path, {
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
    })

  const created = async (response: Response) => {
    const body = await response.json()
    if (response.status !== 201) throw new Error(`status ${response.status}: ${JSON.stringify(body)}`)
    return body as never
  }

  const testServer: TestServer = {
    url: server.publicUrl,
    operatorUrl: server.operatorUrl,
    operatorToken,
    dataDir,
    databaseUrl: database.url,
    get,
    operate,
    async read(path, options) {
      const response = await get(path, options)
      const body = await response.json()
      if (response.status !== 200)
        throw new Error(`${path}: status ${response.status} ${JSON.stringify(body)}`)
      return body as never
    },
    async ingest(facts, { batch = randomUUID(), announce = true, waits = true } = {}) {
      const response = await operate('POST', '/facts', { facts, announce }, { 'idempotency-key': batch })
      const outcome = (await response.json()) as Outcome
      if (response.status !== 200) throw new Error(`a batch was not applied: ${JSON.stringify(outcome)}`)
      if (waits) await untilRanked(server, database.url)
      return outcome
    },
    async send(ndjson, { check = false } = {}) {
      const response = await fetch(`${server.operatorUrl}/facts${check ? '?check=true' : ''}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/x-ndjson' },
        body: ndjson as string,
      })
      const lines = (await response.text()).split('\n').filter(line => line !== '')
      return lines.map(line => JSON.parse(line) as Outcome)
    },
    async makeKey(owner, scopes, more = {}) {
      return created(
        await operate('POST', '/keys', { ...owner, name: 'test', ...(scopes ? { scopes } : {}), ...more }),
      )
    },
    async makeCode(nationId, account) {
      const response = await operate('POST', '/codes', {
        nation_id: nationId,
        ...(account ? { for: account } : {}),
      })
      return ((await created(response)) as { code: string }).code
    },
    query: (text, values) => query(database.url, text, values),
    async close() {
      await server.close()
      await release()
    },
  }
  if (facts) {
    await testServer.ingest(facts).catch(async error => {
      // An open server would keep the process of the test running.
      await testServer.close()
      throw error
    })
  }
  return testServer
}

interface Versions {
  world: number
  ranked: number
}

/** Waits until a round has ranked the current world version and the server has read it. A query costs less than /status. */
const untilRanked = (server: RunningServer, databaseUrl: string) =>
  until(
    async () => {
      const [{ world, ranked } = { world: 0, ranked: -1 }] = await query<Versions>(
        databaseUrl,
        `select w.world_version::float8 as world, r.world_version::float8 as ranked
         from chancery_world.pulse w, chancery_world.ranking_round r`,
      )
      return ranked >= world && (server.worldVersion() ?? -1) >= world
    },
    'the ranking round is done',
    120_000,
  )
