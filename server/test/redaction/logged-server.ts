import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bases } from '@chancery/contract'
import { rejectOnEnd } from '../../src/store/embedded/processes.ts'
import { createTestDatabase } from '../support/database.ts'
import { processEnv } from '../support/process-env.ts'
import type { Fact, Outcome } from '../support/test-server.ts'

const operatorToken = 'operator-token-of-this-test'

/** A server in a process of its own, at its loudest, of which every written byte is caught. */
export interface LoggedServer {
  url: string
  databaseUrl: string
  /** `lines` are sent as a stream of facts. */
  operate(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    lines?: Fact[],
  ): Promise<Response>
  /** Applies a batch, which may be refused. */
  ingest(batch: string, facts: Fact[]): Promise<Outcome>
  /** The text of a path that answers 200. */
  text(path: string): Promise<string>
  /** All that the process has written, and the ledger beside its database. */
  written(): Promise<string>
  close(): Promise<void>
}

export async function startLoggedServer(env: Record<string, string> = {}): Promise<LoggedServer> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-server-'))
  const server = fork(new URL('../access/logged-server.ts', import.meta.url), {
    silent: true,
    env: {
      ...processEnv,
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: operatorToken,
      CHANCERY_DATA_DIR: dataDir,
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_ANONYMOUS_LIMIT: '1000000',
      CHANCERY_STREAMS_PER_IP: '1000000',
      CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
      CHANCERY_LOG_LEVEL: 'trace',
      ...env,
    },
  })
  let written = ''
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', part => (written += part))
  const [{ publicUrl, operatorUrl }] = (await Promise.race([
    once(server, 'message'),
    rejectOnEnd(server, 'the server did not start'),
  ])) as [{ publicUrl: string; operatorUrl: string }]

  const operate: LoggedServer['operate'] = (method, path, body, headers = {}, lines = undefined) =>
    fetch(operatorUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${operatorToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(lines ? { 'content-type': 'application/x-ndjson' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(lines ? { body: lines.map(line => `${JSON.stringify(line)}\n`).join('') } : {}),
    })

  return {
    url: publicUrl,
    databaseUrl: database.url,
    operate,
    async ingest(batch, facts) {
      const answer = await operate('POST', '/facts', { facts }, { 'idempotency-key': batch })
      return (await answer.json()) as Outcome
    },
    async text(path) {
      const answer = await fetch(publicUrl + bases.canonical + path)
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
      return answer.text()
    },
    written: async () =>
      written + (await readFile(join(dataDir, 'redactions.ndjson'), 'utf8').catch(() => '')),
    async close() {
      server.send('end')
      await once(server, 'exit')
      await database.drop()
      await rm(dataDir, { recursive: true })
    },
  }
}
