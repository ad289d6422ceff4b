import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bases, type Scope } from '@chancery/contract'
import pg from 'pg'
import { type ConfigDefaults, type RunningServer, readConfig, startServer } from '../../src/index.ts'
import type { ServerTimings } from '../../src/start/server.ts'
import { createTestDatabase } from './database.ts'
import { type Operate, operateAt } from './operator-client.ts'
import { until } from './until.ts'

/** A fact as a game sends it. */
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

/** A whole server in this process, reached like any other: over HTTP. */
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
  /** The parsed body of a path that answers 200. */
  read<T = unknown>(path: string, options?: { key?: string }): Promise<T>
  /** Asks the operator listener. */
  operate: Operate
  /** Applies facts as one batch, and waits until rankings and lists show them. Rejects where it is refused. */
  ingest(facts: Fact[], options?: { announce?: boolean; batch?: string; waits?: boolean }): Promise<Outcome>
  /** Sends text to the door as a stream; returns what became of each batch. */
  send(ndjson: string | Uint8Array, options?: { check?: boolean }): Promise<Outcome[]>
  makeKey(
    owner: { nation_id: string } | { player_id: string },
    scopes?: Scope[],
    more?: object,
  ): Promise<{ id: string; key: string }>
  makeCode(nationId: string, account?: string): Promise<string>
  close(): Promise<void>
}

export interface TestServerOptions {
  /** What a command decides. */
  defaults?: Partial<ConfigDefaults>
  /** A database of the caller's own, which stays; default: a new one, which goes with the server. */
  databaseUrl?: string
  /** Default: the times of `patient`. */
  timings?: ServerTimings
}

/**
 * On a busy machine a database, a Redis or a client is late: only tests of silence and of outages ask for `{}`, the times of a real server.
 * And rankings follow at once.
 */
export const patientTimings: ServerTimings = {
  databaseTimeoutFactor: 40,
  limitsTimeoutMs: 20_000,
  connectionTimings: { headMs: 120_000, requestMs: 120_000 },
  rankingPauseMs: 5,
}

/** For `before` of a test file; `close` in its `after`. `env` overrides configuration. Limits are out of the way unless set. */
export async function startTestServer(
  env: Record<string, string> = {},
  { defaults = {}, databaseUrl, timings = patientTimings }: TestServerOptions = {},
): Promise<TestServer> {
  const database =
    databaseUrl === undefined ? await createTestDatabase() : { url: databaseUrl, drop: async () => {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-test-'))
  const operatorToken = 'operator-token-of-a-test'
  const variables = {
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: '0',
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_ADMIN_TOKEN: operatorToken,
    CHANCERY_DATA_DIR: dataDir,
    CHANCERY_DATABASE_URL: database.url,
    CHANCERY_ANONYMOUS_LIMIT: '1000000',
    CHANCERY_KEY_LIMIT: '1000000',
    CHANCERY_STREAMS_PER_KEY: '1000000',
    CHANCERY_STREAMS_PER_IP: '1000000',
    CHANCERY_LOG_LEVEL: 'silent',
    ...env,
  }
  const config = readConfig(variables, defaults)
  const server = await startServer(config, timings)
  const rankings = watchRankings(server, database.url)

  const operate = operateAt(server.operatorUrl, operatorToken)

  const get: TestServer['get'] = (path, { key, base = bases.canonical, headers = {} } = {}) =>
    fetch(server.publicUrl + base + path, {
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
    })

  const created = async (response: Response) => {
    const body = await response.json()
    if (response.status !== 201) throw new Error(`the operator listener answered ${JSON.stringify(body)}`)
    return body as never
  }

  return {
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
        throw new Error(`${path} answered ${response.status} ${JSON.stringify(body)}`)
      return body as never
    },
    async ingest(facts, { batch = randomUUID(), announce = true, waits = true } = {}) {
      const response = await operate('POST', '/facts', { facts, announce }, { 'idempotency-key': batch })
      const outcome = (await response.json()) as Outcome
      if (response.status !== 200) throw new Error(`a batch was not applied: ${JSON.stringify(outcome)}`)
      if (waits) await rankings.untilRanked()
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
    async close() {
      await rankings.close()
      await server.close()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

interface Versions {
  world: number
  ranked: number
}

/** Waits until a round has ranked the world as it is, and the server knows: asked of the database, which costs less than /status. */
function watchRankings(server: RunningServer, databaseUrl: string) {
  let connecting: Promise<pg.Client> | undefined
  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(databaseUrl)
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return {
    async untilRanked(): Promise<void> {
      connecting ??= connect()
      const client = await connecting
      await until(
        async () => {
          const { rows } = await client.query<Versions>(
            `select w.world_version::float8 as world, r.world_version::float8 as ranked
             from chancery_world.pulse w, chancery_world.ranking_round r`,
          )
          const [{ world, ranked } = { world: 0, ranked: -1 }] = rows
          return ranked >= world && (server.worldVersion() ?? -1) >= world
        },
        'the ranking round came',
        120_000,
      )
    },
    async close(): Promise<void> {
      await (await connecting)?.end().catch(() => undefined)
    },
  }
}
