import { type EventKind, originOf, type TextSchema } from '@chancery/contract'
import { type Batch, chunksOf } from '../ingest/batch.ts'
import { raw, sql } from '../store/database.ts'
import { isCopyFrom, type Replacement, replaceCopies, replaceWritten } from './denormalized-copies.ts'
import { affectedEvents } from './events-of.ts'
import type { PreviousValues } from './previous-values.ts'

interface LoggedEvent {
  seq: number
  type: string
  summary: string
  data: unknown
}

const write = raw(`
  update chancery_world.event e set summary = r.summary, data = r.data
  from json_to_recordset(`)

/**
 * Replaces texts of a thing in all events that repeat them; numbers, kinds and times stay. `former` learns what stood there, and
 * says what to replace where people wrote the words. Returns the numbers of the events that are others now.
 */
export async function rewriteEvents(
  batch: Batch,
  replacement: Replacement,
  former: PreviousValues,
): Promise<number[]> {
  const { eventKinds } = batch.contract
  const seqs = await affectedEvents(batch.db, batch.contract, replacement)
  const rewritten = new Set<number>()
  const pass = async (rewrite: (event: LoggedEvent) => LoggedEvent | Promise<LoggedEvent>) => {
    for (const chunk of chunksOf(seqs)) {
      const changed: LoggedEvent[] = []
      for (const event of await readEvents(batch, chunk)) {
        const after = await rewrite(event)
        if (after.data !== event.data) after.summary = summaryOf(eventKinds[event.type], after)
        if (after.summary !== event.summary || after.data !== event.data) changed.push(after)
      }
      await writeEvents(batch, changed)
      for (const { seq } of changed) rewritten.add(seq)
    }
  }
  await pass(async event => {
    const schema = eventKinds[event.type]?.data
    if (!schema) return event
    const { texts } = replacement
    const found = (field: string, text: string) => former.add(text, texts[field])
    const data = 'nation_name' in texts ? await withNames(batch, schema, event.data) : event.data
    return { ...event, data: replaceCopies(schema, data, replacement, found) }
  })
  // Only now all former texts are known.
  await pass(event => {
    const kind = eventKinds[event.type]
    const data = replaceWritten(kind?.data, event.data, text => former.replaceIn(text))
    return { ...event, data, summary: kind?.summarize ? event.summary : former.replaceIn(event.summary) }
  })
  return [...rewritten]
}

const summaryOf = (kind: EventKind | undefined, { data, summary }: LoggedEvent): string =>
  kind?.summarize ? kind.summarize(data) : summary

async function readEvents({ db }: Batch, seqs: number[]): Promise<LoggedEvent[]> {
  return db.rows<LoggedEvent>(
    sql`select seq, type, summary, data from chancery_world.event where seq = any(${seqs}) order by seq`,
  )
}

/**
 * A process of version 0.1 logs launches with the names in the summary alone, where a name cannot be told from the words around it.
 * The names of now stand in.
 */
async function withNames(batch: Batch, { properties = {} }: TextSchema, data: unknown): Promise<unknown> {
  const held = data as Record<string, unknown>
  const missing = Object.entries(properties).flatMap(([member, schema]) => {
    const origin = originOf(schema)
    const id = isCopyFrom(origin, 'nation') && !(member in held) ? held[origin.id] : undefined
    return typeof id === 'string' ? [{ member, id }] : []
  })
  if (missing.length === 0) return data
  const names = await batch.nationNames(missing.map(({ id }) => id))
  return { ...held, ...Object.fromEntries(missing.map(({ member, id }) => [member, names.get(id) ?? id])) }
}

async function writeEvents({ db }: Batch, events: LoggedEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = JSON.stringify(events.map(({ seq, summary, data }) => ({ seq, summary, data })))
  await db.rows(sql`${write}${rows}::json) as r (seq bigint, summary text, data json) where e.seq = r.seq`)
}
