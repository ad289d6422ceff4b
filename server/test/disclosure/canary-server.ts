import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { rejectOnEnd } from '../../src/store/embedded/processes.ts'
import { createTestDatabase } from '../support/database.ts'
import { processEnv } from '../support/process-env.ts'
import type { CanaryWorld } from './canary-world.ts'
import type { Exchange } from './exchange.ts'

const operatorToken = 'canary-operator-token-of-this-test'

/** A server in a process of its own, at its loudest, of which every written byte is caught. */
export interface CanaryServer {
  publicUrl: string
  operatorToken: string
  /** Asks the operator listener. */
  operate(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Exchange & { json<T>(): T }>
  /** Tells the world of canaries. */
  tellFacts(): Promise<void>
  /** All that the process has written. */
  written(): string
  withDatabase(work: (client: pg.Client) => Promise<void>): Promise<void>
  close(): Promise<void>
}

export async function startCanaryServer(
  { profile, facts }: CanaryWorld,
  env: Record<string, string> = {},
): Promise<CanaryServer> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-canaries-'))
  const gameFile = join(dataDir, 'game.json')
  await writeFile(gameFile, JSON.stringify(profile))
  const server = fork(new URL('./served-process.ts', import.meta.url), {
    silent: true,
    env: {
      ...processEnv,
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: operatorToken,
      CHANCERY_DATA_DIR: dataDir,
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_GAME_FILE: gameFile,
      CHANCERY_ANONYMOUS_LIMIT: '1000000',
      CHANCERY_KEY_LIMIT: '1000000',
      CHANCERY_STREAMS_PER_KEY: '1000000',
      CHANCERY_STREAMS_PER_IP: '1000000',
      CHANCERY_LOG_LEVEL: 'trace',
      ...env,
    },
  })
  let written = ''
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', part => (written += part))
  const died = rejectOnEnd(server, 'the server did not start')
  const [{ publicUrl, operatorUrl }] = (await Promise.race([once(server, 'message'), died])) as [
    { publicUrl: string; operatorUrl: string },
  ]

  const operate: CanaryServer['operate'] = async (method, path, body, headers = {}) => {
    const response = await fetch(operatorUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${operatorToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: {}, body: text, json: () => JSON.parse(text) as never }
  }

  return {
    publicUrl,
    operatorToken,
    operate,
    async tellFacts() {
      const outcome = await operate('POST', '/facts', { facts: facts() }, { 'idempotency-key': 'canaries' })
      assert.equal(outcome.status, 200, outcome.body)
    },
    written: () => written,
    async withDatabase(work) {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      try {
        await work(client)
      } finally {
        await client.end()
      }
    },
    async close() {
      if (server.exitCode === null) {
        server.send('close')
        await once(server, 'exit')
      }
      await database.drop()
      await rm(dataDir, { recursive: true })
    },
  }
}
