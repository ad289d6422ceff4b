import { createEventFilter } from '@chancery/contract'
import { type Event, readAnnouncedSpans, readEvents, type Span } from '../events/store.ts'
import { type Database, type DatabasePool, isoTime, sql } from '../store/database.ts'
import { type FilterRow, filterOf } from './endpoint-store.ts'

/** An active endpoint. It receives events after `subscribed_from_seq`. */
interface Subscriber extends FilterRow {
  id: string
  subscribed_from_seq: number
}

/** Bounds of one step, so that its transaction stays short. */
const eventsPerStep = 1_000
const spansPerStep = 100

/** `isBehind`: more events are unread. */
export interface FanOutStep {
  queued: number
  isBehind: boolean
}

/**
 * Queues deliveries of the next events of the log, one per matching endpoint. One process at a time does so. The position in the log and
 * the deliveries are written in one transaction, so that a crash neither skips nor repeats an event.
 */
export async function fanOutStep(pool: DatabasePool, nowMs: number): Promise<FanOutStep> {
  return pool.transaction(async db => {
    const position = await db.first<{ seq: number; last: number }>(sql`
      select f.seq, (select seq from chancery_world.pulse) as last
      from chancery_outbound.fan_out f for update skip locked`)
    // Another process holds the lock, or nothing is unread.
    if (!position || position.last <= position.seq) return { queued: 0, isBehind: false }
    const subscribers = await db.rows<Subscriber>(sql`
      select id, subscribed_from_seq, types, nation_ids, alliance_ids from chancery_outbound.endpoint where status = 'active'`)
    const unread = { first: position.seq + 1, last: position.last }
    const { events, upTo } =
      subscribers.length === 0 ? { events: [], upTo: unread.last } : await readUnread(db, unread)
    const queued = await enqueue(db, events, subscribers, nowMs)
    await db.rows(sql`update chancery_outbound.fan_out set seq = ${upTo}`)
    return { queued, isBehind: upTo < unread.last }
  })
}

/** The next announced events, and the number up to which the log has been read. */
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

/** Adjacent spans are read as one. */
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
  subscribers: Subscriber[],
  nowMs: number,
): Promise<number> {
  const endpointIds: string[] = []
  const seqs: number[] = []
  for (const subscriber of subscribers) {
    const matches = createEventFilter(filterOf(subscriber))
    for (const event of events) {
      if (event.seq <= subscriber.subscribed_from_seq || !matches(event)) continue
      endpointIds.push(subscriber.id)
      seqs.push(event.seq)
    }
  }
  if (seqs.length === 0) return 0
  const now = isoTime(nowMs)
  await db.rows(sql`
    insert into chancery_outbound.delivery (endpoint_id, seq, state, due_at, created_at)
    select endpoint_id, seq, 'pending', ${now}, ${now}
    from unnest(${endpointIds}::text[], ${seqs}::bigint[]) as matched (endpoint_id, seq)
    on conflict (endpoint_id, seq) do nothing`)
  return seqs.length
}
