import assert from 'node:assert/strict'
import { contractFor, demoProfile } from '@chancery/contract'
import { type RestoreOptions, type RestoreResult, restoreBackup } from '../../src/backup/restore-backup.ts'
import type { TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

/** A service on a database that is kept when it closes. */
export const startServerOn = (databaseUrl: string): Promise<TestServer> =>
  startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }, { databaseUrl })

export async function backUp({ operate }: Pick<TestServer, 'operate'>): Promise<Buffer> {
  const response = await operate('POST', '/backup')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/gzip')
  return Buffer.from(await response.arrayBuffer())
}

/** Bytes in chunks, as from a file or a connection. */
export async function* inChunks(bytes: Buffer, size = 10_007): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

export const restoreTo = (
  { target }: Pick<TestDatabase, 'target'>,
  backup: Buffer,
  options: Partial<RestoreOptions & { replaces: boolean }> = {},
): Promise<RestoreResult> =>
  restoreBackup(inChunks(backup), {
    target,
    contract: contractFor(demoProfile),
    redactions: [],
    nowMs: Date.now(),
    replaces: false,
    ...options,
  })

/** Every row of every logged table as text, by table. */
export function readTables(databaseUrl: string): Promise<Map<string, string[]>> {
  return withConnection(databaseUrl, async client => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname like 'chancery\\_%' and c.relkind = 'r' and c.relpersistence = 'p' order by 1`)
    const contents = new Map<string, string[]>()
    for (const { name } of tables) {
      const { rows } = await client.query({
        text: `select t::text from ${name} t order by 1`,
        rowMode: 'array',
      })
      contents.set(name, rows.flat())
    }
    return contents
  })
}

/** Runs a statement and returns the first column of its first row. */
export function firstValue<T>(databaseUrl: string, statement: string): Promise<T> {
  return withConnection(databaseUrl, async client => {
    const { rows } = await client.query(statement)
    return Object.values(rows[0] ?? {})[0] as T
  })
}
