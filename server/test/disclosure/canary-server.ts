import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startServerProcess } from '../support/server-process.ts'
import type { CanaryWorld } from './canary-world.ts'
import type { Exchange } from './exchange.ts'

/** A server in a process of its own, with the most detailed log. */
export interface CanaryServer {
  publicUrl: string
  operatorToken: string
  operate(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Exchange & { json<T>(): T }>
  /** Sends the facts of the canary world. */
  tellFacts(): Promise<void>
  /** Everything that the process has written. */
  written(): string
  withDatabase(work: (client: pg.Client) => Promise<void>): Promise<void>
  close(): Promise<void>
}

export async function startCanaryServer(
  { profile, facts }: CanaryWorld,
  env: Record<string, string> = {},
): Promise<CanaryServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-canaries-'))
  const gameFile = join(dataDir, 'game.json')
  await writeFile(gameFile, JSON.stringify(profile))
  const server = await startServerProcess(
    {
      CHANCERY_ADMIN_TOKEN: 'canary-operator-token-of-this-test',
      CHANCERY_GAME_FILE: gameFile,
      CHANCERY_STREAMS_PER_KEY: '1000000',
      CHANCERY_STREAMS_PER_IP: '1000000',
      CHANCERY_LOG_LEVEL: 'trace',
      ...env,
    },
    { dataDir },
  )

  const operate: CanaryServer['operate'] = async (...request) => {
    const response = await server.operate(...request)
    const text = await response.text()
    return { status: response.status, headers: {}, body: text, json: () => JSON.parse(text) as never }
  }

  return {
    publicUrl: server.url,
    operatorToken: server.operatorToken,
    operate,
    async tellFacts() {
      const outcome = await operate('POST', '/facts', { facts: facts() }, { 'idempotency-key': 'canaries' })
      assert.equal(outcome.status, 200, outcome.body)
    },
    written: server.written,
    async withDatabase(work) {
      const client = new pg.Client({ connectionString: server.databaseUrl })
      await client.connect()
      try {
        await work(client)
      } finally {
        await client.end()
      }
    },
    async close() {
      await server.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
