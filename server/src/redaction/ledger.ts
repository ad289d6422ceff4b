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
