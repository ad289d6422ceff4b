import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Batch, Erasure, Redaction } from '../ingest/batch.ts'
import { type Database, sql } from '../store/database.ts'

/**
 * The redaction ledger: every redaction and erasure, to be applied again to a restored backup. It is kept twice, in the database and in a
 * file beside it. An entry contains the replacement texts, never the texts that they replaced.
 */
export interface LedgerEntry {
  op: 'redact' | 'erase'
  /** RFC 3339. */
  at: string
  fact: Record<string, unknown>
}

export const entryOfRedaction = ({ resource, key, data }: Redaction, at: string): LedgerEntry => ({
  op: 'redact',
  at,
  fact: { op: 'redact', resource, id: key, data },
})

/** Includes all nations that were found: a restored database may lack some of them. */
export const entryOfErasure = ({ player, name }: Erasure, nations: string[], at: string): LedgerEntry => ({
  op: 'erase',
  at,
  fact: { op: 'erase', player, nations, name },
})

export async function appendToLedger({ db }: Batch, entries: LedgerEntry[]): Promise<void> {
  await db.rows(sql`
    insert into chancery_secret.redaction (op, at, fact)
    select op, at, fact from json_to_recordset(${JSON.stringify(entries)}::json) as n (op text, at timestamptz, fact jsonb)`)
}

export const readLedger = (db: Database): Promise<LedgerEntry[]> =>
  db.rows<LedgerEntry>(sql`select op, at, fact from chancery_secret.redaction order by number`)

/** Beside the database, because a lost database takes its own ledger with it. */
export const ledgerPath = (dataDir: string): string => join(dataDir, 'redactions.ndjson')

/** Appends entries, one a line, and syncs the file. A line that a crash has cut off stays a line of its own. */
export async function appendToLedgerFile(dataDir: string, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return
  const file = await open(ledgerPath(dataDir), 'a+', 0o600)
  try {
    const { size } = await file.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await file.read(last, 0, 1, size - 1)
    const lines = entries.map(entry => `${JSON.stringify(entry)}\n`).join('')
    await file.write(size > 0 && last.toString() !== '\n' ? `\n${lines}` : lines)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Appends the entries of the database that the file lacks, after a crash between the two writes. An invalid file is left as it is: a
 * restore reports what is wrong with it.
 */
export async function completeLedgerFile(dataDir: string, stored: readonly LedgerEntry[]): Promise<void> {
  if (stored.length === 0) return
  const known = await readLedgerFile(ledgerPath(dataDir)).catch((error: unknown) =>
    error instanceof LedgerError ? undefined : [],
  )
  if (!known) return
  const written = new Set(known.map(canonicalJson))
  await appendToLedgerFile(
    dataDir,
    stored.filter(entry => !written.has(canonicalJson(entry))),
  )
}

/** Sorts members: PostgreSQL's jsonb returns them in another order. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

class LedgerError extends Error {
  override name = 'LedgerError'
}

/**
 * Reads a ledger file. A last line without a newline was cut off by a crash before it was acknowledged, and is skipped.
 * @throws {LedgerError} at an invalid line. Rejects if the file cannot be read.
 */
export async function readLedgerFile(file: string): Promise<LedgerEntry[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  return lines.map((line, index) => {
    const entry = parse(line)
    if (!entry)
      throw new LedgerError(
        `${file}, line ${index + 1}: not an entry of the redaction ledger. If a crash has cut it off, remove the line`,
      )
    return entry
  })
}

function parse(line: string): LedgerEntry | undefined {
  try {
    const { op, at, fact } = JSON.parse(line) as Partial<LedgerEntry>
    const isEntry =
      (op === 'redact' || op === 'erase') && typeof at === 'string' && !Number.isNaN(Date.parse(at))
    // The restore applies `fact`: its operation must be the entry's.
    const isSame = typeof fact === 'object' && fact !== null && fact.op === op
    return isEntry && isSame ? { op, at, fact } : undefined
  } catch {
    return undefined
  }
}
