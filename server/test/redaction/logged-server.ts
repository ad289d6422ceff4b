import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bases } from '@chancery/contract'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { Fact, Outcome } from '../support/test-server.ts'

/** A server in a process of its own, with the most detailed log. */
export interface LoggedServer extends Omit<ServerProcess, 'written'> {
  /** Sends facts to a path as lines. */
  sendStream(path: string, facts: Fact[]): Promise<Response>
  /** Sends a batch, which may be rejected. */
  ingest(batch: string, facts: Fact[]): Promise<Outcome>
  /** The body of a path that responds with 200. */
  text(path: string): Promise<string>
  /** Everything that the process has written, and the redaction ledger beside its database. */
  written(): Promise<string>
}

export async function startLoggedServer(env: Record<string, string> = {}): Promise<LoggedServer> {
  const server = await startServerProcess({
    CHANCERY_STREAMS_PER_IP: '1000000',
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_LOG_LEVEL: 'trace',
    ...env,
  })
  return {
    ...server,
    sendStream: (path, facts) =>
      fetch(server.operatorUrl + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.operatorToken}`,
          'content-type': 'application/x-ndjson',
        },
        body: facts.map(fact => `${JSON.stringify(fact)}\n`).join(''),
      }),
    async ingest(batch, facts) {
      const response = await server.operate('POST', '/facts', { facts }, { 'idempotency-key': batch })
      return (await response.json()) as Outcome
    },
    async text(path) {
      const response = await fetch(server.url + bases.canonical + path)
      if (response.status !== 200) throw new Error(`${path} has status ${response.status}`)
      return response.text()
    },
    written: async () =>
      server.written() + (await readFile(join(server.dataDir, 'redactions.ndjson'), 'utf8').catch(() => '')),
  }
}
