import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach } from 'node:test'
import { contractFor, factResources, parseProfile } from '@chancery/contract'
import { createFactValidator, isRejected } from '../../server/src/ingest/validate-fact.ts'
import { useTestServer } from '../../server/test/support/fixture.ts'
import type { TestServer } from '../../server/test/support/test-server.ts'
import type { GameViews } from '../src/game-database/game-views.ts'
import { openViews } from '../src/game-database/open-views.ts'
import { type CheckedViews, checkViews } from '../src/pull/check-views.ts'
import { ViewReader } from '../src/pull/view-reader.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { createSmallGame, type Game, type ManualPuller, manualPuller } from './game.ts'
import { clientOf, contract } from './service-client.ts'

type PullerOptions = Parameters<typeof manualPuller>[2]
type Document = Record<string, unknown>

/** A service for a test file, and a small game for each test. Ids of two games are never the same. */
export interface PullFixture {
  chancery: TestServer
  readonly game: Game
  readonly client: ServiceClient
  /** Runs a statement in the game's database. */
  query: Game['query']
  /** The id of the first nation is the next number. */
  readonly start: number
  /** The id of the nation with this index. */
  n(index: number): string
  /** Opens a puller of the game, which is closed after the test. */
  open(options?: PullerOptions, client?: ServiceClient): Promise<ManualPuller>
  /** The item at a path of the API. */
  read<T = Document>(path: string): Promise<T>
  statusOf(path: string): Promise<number>
}

export function usePullFixture({ nations }: { nations: number }): PullFixture {
  const chancery = useTestServer()
  let start = 0
  let game: Game
  let opened: ManualPuller[] = []
  beforeEach(async () => {
    start += 1000
    game = await createSmallGame(chancery.databaseUrl, { start, nations })
  })
  afterEach(async () => {
    for (const puller of opened) await puller.close()
    opened = []
    await game.drop()
  })
  return {
    chancery,
    get game() {
      return game
    },
    get client() {
      return clientOf(chancery)
    },
    query: (text, values) => game.query(text, values),
    get start() {
      return start
    },
    n: index => String(start + index),
    async open(options, client = clientOf(chancery)) {
      const puller = await manualPuller(game, client, options)
      opened.push(puller)
      return puller
    },
    ...readsOf(chancery),
  }
}

const readsOf = (chancery: TestServer) => ({
  read: async <T = Document>(path: string) => (await chancery.read<{ data: T }>(path)).data,
  statusOf: async (path: string) => (await chancery.get(path)).status,
})

export const viewsOptions = { name: 'test', isReadOnly: true, idleTimeoutMs: 60_000 }

/** Pulls of a game in a database of any kind. */
export function pullsFrom(chancery: TestServer, url: () => string) {
  return {
    ...readsOf(chancery),

    async withPuller(run: (manual: ManualPuller) => Promise<void>, options: PullerOptions = {}) {
      const game = { url: url() }
      const manual = await manualPuller(game, clientOf(chancery), { allowsDeletes: true, ...options })
      try {
        await run(manual)
      } finally {
        await manual.close()
      }
    },

    async withViews<T>(run: (views: GameViews) => Promise<T>): Promise<T> {
      const views = await openViews(url(), viewsOptions)
      try {
        return await run(views)
      } finally {
        await views.close()
      }
    },

    check: (address = url()): Promise<CheckedViews> =>
      checkViews({
        url: address,
        contract,
        client: clientOf(chancery),
        schema: 'chancery_out',
        feed: 'pull',
        allowsDeletes: false,
      }),
  }
}

/** The puller accepts a view of each resource, without rows. */
export async function assertReadsTemplates(views: GameViews, schema: string): Promise<void> {
  const reader = new ViewReader(views, contract, schema)
  await reader.inSnapshot(async () => {
    assert.deepEqual((await reader.find()).resources, [...factResources])
    for (const resource of factResources) {
      const view = await reader.read(resource)
      assert.ok('hashes' in view && view.hashes.size === 0, resource)
    }
  })
}

/** The facts of the views in `examples/`, which fit its profile. `createViews` runs their SQL, with `schema` in place of chancery_out. */
export async function factsOfExample(
  name: string,
  { url, schema, createViews }: { url: string; schema: string; createViews(sql: string): Promise<void> },
) {
  const folder = new URL(`../../examples/${name}/`, import.meta.url)
  const text = (file: string) => readFile(new URL(file, folder), 'utf8')
  const ofGame = contractFor(parseProfile(await text('profile.json')))
  await createViews((await text('views.sql')).replaceAll('chancery_out', schema))
  const views = await openViews(url, viewsOptions)
  try {
    const reader = new ViewReader(views, ofGame, schema)
    const facts = await reader.inSnapshot(async () => {
      const { resources } = await reader.find()
      const lines: string[] = []
      for (const resource of resources) {
        const view = await reader.read(resource)
        assert.ok('hashes' in view, resource)
        lines.push(...(await reader.putLines(view, [...view.hashes.keys()])).values())
      }
      return lines.map(line => JSON.parse(line))
    })
    const validate = createFactValidator(ofGame)
    for (const fact of facts) {
      const valid = validate(fact, 1)
      assert.ok(!isRejected(valid), JSON.stringify([fact, valid]))
    }
    return facts
  } finally {
    await views.close()
  }
}
