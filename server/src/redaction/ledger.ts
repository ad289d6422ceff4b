import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Batch, Erasure, Redaction } from '../ingest/batch.ts'
import { sql } from '../store/database.ts'

/** What is told again to a database that was restored from before. It holds what stands there now, never what stood there. */
export interface RedactionNote {
  op: 'redact' | 'erase'
  at: string
  fact: Record<string, unknown>
}

export const noteOfRedaction = ({ resource, key, data }: Redaction, at: string): RedactionNote => ({
  op: 'redact',
  at,
  fact: { op: 'redact', resource, id: key, data },
})

/** With all nations that were found: a restored database may know of another one. */
export const noteOfErasure = ({ player, name }: Erasure, nations: string[], at: string): RedactionNote => ({
  op: 'erase',
  at,
  fact: { op: 'erase', player, nations, name },
})

export async function writeNotes({ db }: Batch, notes: RedactionNote[]): Promise<void> {
  await db.rows(sql`
    insert into chancery_secret.redaction (op, at, fact)
    select op, at, fact from json_to_recordset(${JSON.stringify(notes)}::json) as n (op text, at timestamptz, fact jsonb)`)
}

/**
 * What was redacted or erased, as a restored backup must be told again. `fact` is what was asked for: it holds what stands there
 * now, never what stood there.
 */
export interface LedgerEntry {
  op: 'redact' | 'erase'
  /** RFC 3339, as in the database's ledger. */
  at: string
  fact: Record<string, unknown>
}

/** Beside the database, because a lost database takes its own ledger with it. */
export const ledgerPath = (dataDir: string): string => join(dataDir, 'redactions.ndjson')

/** Appends entries, each a line, and returns when the disk has them. A line that a crash has cut off stays one by itself. */
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
 * Appends what the database's ledger has and the file has not: a crash may come between the two. A file that is no ledger is left
 * as it is: it is looked at when it is needed, and says then what is wrong with it.
 */
export async function completeLedgerFile(dataDir: string, stored: readonly LedgerEntry[]): Promise<void> {
  if (stored.length === 0) return
  const known = await readLedgerFile(ledgerPath(dataDir)).catch((error: unknown) =>
    error instanceof LedgerError ? undefined : [],
  )
  if (!known) return
  const written = new Set(known.map(inOrder))
  await appendToLedgerFile(
    dataDir,
    stored.filter(entry => !written.has(inOrder(entry))),
  )
}

/** The same for the same entry: PostgreSQL keeps the members of an object in an order of its own. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

/** A line of a ledger is none. The message says which. */
class LedgerError extends Error {
  override name = 'LedgerError'
}

/**
 * Reads a ledger file. A last line without its end was cut off by a crash, before anybody was told that it is done, and is left out.
 * @throws {LedgerError} where a line is not what this module writes. Rejects where the file cannot be read.
 */
export async function readLedgerFile(file: string): Promise<LedgerEntry[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  return lines.map((line, index) => {
    const entry = parse(line)
    if (!entry)
      throw new LedgerError(
        `${file}, line ${index + 1}: not an entry of a ledger of redactions. If a crash has cut it off, remove the line`,
      )
    return entry
  })
}

function parse(line: string): LedgerEntry | undefined {
  try {
    const { op, at, fact } = JSON.parse(line) as Partial<LedgerEntry>
    const isEntry =
      (op === 'redact' || op === 'erase') && typeof at === 'string' && !Number.isNaN(Date.parse(at))
    // A file that says something else would have a restore do that.
    const isSame = typeof fact === 'object' && fact !== null && fact.op === op
    return isEntry && isSame ? { op, at, fact } : undefined
  } catch {
    return undefined
  }
}
