import { createEventFilter } from '@chancery/contract'
import { type Event, readAnnouncedSpans, readEvents, type Span } from '../events/store.ts'
import { type Database, type DatabasePool, sql } from '../store/database.ts'
import { type FilterRow, filterOf } from './filter.ts'

/** An endpoint that hears what is logged after a number. */
interface Subscriber extends FilterRow {
  id: string
  heard_seq: number
}

/** What one step reads of the log: enough to be quick, little enough to be short. */
const eventsPerStep = 1_000
const spansPerStep = 100

/** What a step did. `isBehind`: there is more. */
export interface FanOutStep {
  queued: number
  isBehind: boolean
}

/**
 * Queues the next events of the log for whoever wants to hear them. One process at a time does so; the place in the log and
 * the deliveries are written together, so that every event is queued once for each endpoint, whatever is killed when.
 */
export async function fanOutStep(pool: DatabasePool, nowMs: number): Promise<FanOutStep> {
  return pool.transaction(async db => {
    const position = await db.first<{ seq: number; last: number }>(sql`
      select f.seq, (select seq from chancery_world.pulse) as last
      from chancery_outbound.fan_out f for update skip locked`)
    // Another process is at it.
    if (!position || position.last <= position.seq) return { queued: 0, isBehind: false }
    const listeners = await db.rows<Subscriber>(sql`
      select id, heard_seq, types, nation_ids, alliance_ids from chancery_outbound.endpoint where status = 'active'`)
    const unread = { first: position.seq + 1, last: position.last }
    const { events, upTo } =
      listeners.length === 0 ? { events: [], upTo: unread.last } : await readUnread(db, unread)
    const queued = await enqueue(db, events, listeners, nowMs)
    await db.rows(sql`update chancery_outbound.fan_out set seq = ${upTo}`)
    return { queued, isBehind: upTo < unread.last }
  })
}

/** The next announced events, and the number up to which there are no others. */
async function readUnread(db: Database, unread: Span): Promise<{ events: Event[]; upTo: number }> {
  const spans = await readAnnouncedSpans(db, unread, spansPerStep)
  const events: Event[] = []
  for (const span of mergeAdjacent(spans)) {
    const room = eventsPerStep - events.length
    if (room <= 0) break
    events.push(...(await readEvents(db, span, room)))
  }
  const isAll = spans.length < spansPerStep && events.at(-1)?.seq === spans.at(-1)?.last
  return { events, upTo: isAll ? unread.last : (events.at(-1)?.seq ?? unread.last) }
}

/** Batches that follow on each other are read as one. */
function mergeAdjacent(spans: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const { first, last } of spans) {
    const previous = all.at(-1)
    if (previous && previous.last + 1 === first) previous.last = last
    else all.push({ first, last })
  }
  return all
}

async function enqueue(
  db: Database,
  events: Event[],
  listeners: Subscriber[],
  nowMs: number,
): Promise<number> {
  const endpointIds: string[] = []
  const seqs: number[] = []
  for (const listener of listeners) {
    const wants = createEventFilter(filterOf(listener))
    for (const event of events) {
      if (event.seq <= listener.heard_seq || !wants(event)) continue
      endpointIds.push(listener.id)
      seqs.push(event.seq)
    }
  }
  if (seqs.length === 0) return 0
  const now = new Date(nowMs).toISOString()
  await db.rows(sql`
    insert into chancery_outbound.delivery (endpoint_id, seq, state, due_at, created_at)
    select endpoint_id, seq, 'pending', ${now}, ${now}
    from unnest(${endpointIds}::text[], ${seqs}::bigint[]) as wanted (endpoint_id, seq)
    on conflict (endpoint_id, seq) do nothing`)
  return seqs.length
}
