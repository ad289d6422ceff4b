import type { Names } from '@chancery/contract'
import type { Batch } from '../store/batch.ts'
import { chunksOf } from '../store/chunks.ts'
import { raw, sql } from '../store/database.ts'
import { eventsOf } from './events-of.ts'
import type { FormerTexts } from './former-texts.ts'
import { type Replacement, replaceMentions } from './mentions.ts'
import { renamedSummary } from './summaries.ts'

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
export async function rewriteLog(
  batch: Batch,
  replacement: Replacement,
  former: FormerTexts,
): Promise<number[]> {
  const seqs = await eventsOf(batch.db, batch.contract, replacement)
  const rewritten = new Set<number>()
  const pass = async (rewrite: (event: LoggedEvent, names: Names) => LoggedEvent) => {
    for (const chunk of chunksOf(seqs)) {
      const events = await readEvents(batch, chunk)
      const names = await namesIn(batch, events)
      const changed = events.flatMap(event => {
        const after = rewrite(event, names)
        return after.summary === event.summary && after.data === event.data ? [] : [after]
      })
      await writeEvents(batch, changed)
      for (const { seq } of changed) rewritten.add(seq)
    }
  }
  await pass((event, names) => replaceNamed(batch, event, replacement, former, names))
  // Only now all former texts are known.
  await pass(event => replaceWritten(batch, event, former))
  return [...rewritten]
}

async function readEvents({ db }: Batch, seqs: number[]): Promise<LoggedEvent[]> {
  return db.rows<LoggedEvent>(
    sql`select seq, type, summary, data from chancery_world.event where seq = any(${seqs}) order by seq`,
  )
}

async function writeEvents({ db }: Batch, events: LoggedEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = JSON.stringify(events.map(({ seq, summary, data }) => ({ seq, summary, data })))
  await db.rows(sql`${write}${rows}::json) as r (seq bigint, summary text, data json) where e.seq = r.seq`)
}

const isWeapon = ({ type }: LoggedEvent) => type.startsWith('strategic_weapon.')

/** What the nations of weapons are called now, for sentences in which their names are not found. */
async function namesIn(batch: Batch, events: LoggedEvent[]): Promise<Names> {
  const ids = events
    .filter(isWeapon)
    .flatMap(({ data }) => Object.values(data as object).filter(value => typeof value === 'string'))
  const names = ids.length > 0 ? await batch.nationNames(ids) : new Map<string, string>()
  return { nation: id => names.get(id) ?? id }
}

/** Texts beside a pointer at the thing, and the sentence that is made of them. */
function replaceNamed(
  { contract }: Batch,
  event: LoggedEvent,
  replacement: Replacement,
  former: FormerTexts,
  current: Names,
): LoggedEvent {
  const { key, texts } = replacement
  const data = replaceMentions(event.data, replacement, (field, text) => former.add(text, texts[field]))
  const kind = contract.eventKinds[event.type]
  if (!kind) return { ...event, data }
  if (isWeapon(event)) {
    const name = texts.nation_name
    return typeof name === 'string'
      ? {
          ...event,
          summary: renamedSummary(kind, event, { key, name, current, found: text => former.add(text, name) }),
        }
      : event
  }
  if (!kind.isDerived || data === event.data) return { ...event, data }
  return { ...event, data, summary: kind.summarize(data, current) }
}

/** Words that people wrote: those of the game's own kinds, of kinds that are no more, and the names of sides. */
function replaceWritten({ contract }: Batch, event: LoggedEvent, former: FormerTexts): LoggedEvent {
  const kind = contract.eventKinds[event.type]
  if (event.type === 'conflict.joined' && kind) {
    const data = event.data as { side: string }
    const side = former.replaceIn(data.side)
    if (side === data.side) return event
    const after = { ...data, side }
    return { ...event, data: after, summary: kind.summarize(after, { nation: id => id }) }
  }
  if (kind?.isDerived || isWeapon(event)) return event
  const entries = Object.entries(event.data as object).map(([member, value]) => [
    member,
    typeof value === 'string' ? former.replaceIn(value) : value,
  ])
  const before = Object.values(event.data as object)
  const isSame = entries.every(([, value], index) => value === before[index])
  return {
    ...event,
    summary: former.replaceIn(event.summary),
    data: isSame ? event.data : Object.fromEntries(entries),
  }
}
