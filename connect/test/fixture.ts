import { afterEach, beforeEach } from 'node:test'
import { useTestServer } from '../../server/test/support/fixture.ts'
import type { TestServer } from '../../server/test/support/test-server.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { createSmallGame, type Game, type ManualPuller, manualPuller } from './game.ts'
import { clientOf } from './service-client.ts'

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
    read: async <T>(path: string) => (await chancery.read<{ data: T }>(path)).data,
    statusOf: async path => (await chancery.get(path)).status,
  }
}
