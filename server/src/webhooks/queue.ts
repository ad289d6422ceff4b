import { createEventFilter } from '@chancery/contract'
import { type Event, readAnnouncedSpans, readEvents, readEventsBySeq, type Span } from '../events/store.ts'
import { type Database, type DatabasePool, isoTime, type Sql, sql } from '../store/database.ts'
import { claimLock } from '../store/locks.ts'
import { type FilterRow, filterOf } from './endpoint-store.ts'
import { secretsAt } from './secrets.ts'

/** An active endpoint. It receives events after `subscribed_from_seq`. */
interface Subscriber extends FilterRow {
  id: string
  subscribed_from_seq: number
}

/** Bounds of one step, so that its transaction stays short. */
const eventsPerStep = 1_000
const spansPerStep = 100

/** `isBehind`: more events are unread. */
interface FanOutStep {
  queued: number
  isBehind: boolean
}

/**
 * Queues deliveries of the next events of the log, one per matching endpoint. One process at a time does so. The position in the log and
 * the deliveries are written in one transaction, so that a crash neither skips nor repeats an event.
 */
export async function fanOutStep(pool: DatabasePool, nowMs: number): Promise<FanOutStep> {
  // Most changes of the world have no events.
  const unread = await pool.first(sql`
    select from chancery_world.pulse p, chancery_outbound.fan_out f where p.seq > f.seq`)
  if (!unread) return { queued: 0, isBehind: false }
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

/** A delivery leased to this worker. */
export interface ClaimedRow {
  id: number
  endpoint_id: string
  url: string
  secrets: string[]
  seq: number
  /** Number of the attempt. A worker may record the result of its own attempt only. */
  attempt: number
  /** How many attempts in a row have failed before. */
  failures: number
  /** Whether its endpoint was slow when it was claimed. */
  is_slow: boolean
}

export interface ClaimedDelivery extends ClaimedRow {
  event: Event
}

/** The result of an attempt. */
export interface DeliveryResult {
  id: number
  endpoint_id: string
  attempt: number
  state: 'pending' | 'delivered' | 'failed'
  /** When to try next, while pending. */
  due_at: string | null
  failures: number
  attempted_at: string
  latency_ms: number
  status: number | null
  error: string | null
  response: string | null
  /** Headers as they were sent. */
  signature: string | null
  user_agent: string | null
}

export interface ClaimOptions {
  nowMs: number
  /** How long other workers may not claim the same delivery. Longer than an attempt may last. */
  leaseMs: number
  /** Attempts in flight per endpoint, over all processes. */
  inFlightPerEndpoint: number
  /** The same for a slow endpoint. */
  inFlightPerSlowEndpoint: number
  /** Free slots of this worker. */
  room: number
  /** How many of these may be for slow and failing endpoints. */
  slowRoom: number
  /** How many of these are for endpoints that have nothing in flight. */
  reserved: number
}

/** An attempt that takes this long marks its endpoint as slow. */
export const slowAfterMs = 1_000

/** How long an endpoint stays marked. */
export const slowForMs = 60_000

/** Slow: marked recently, or with an attempt `u` in flight that has taken long already. */
const isSlowAt = (nowMs: number, leaseMs: number): Sql => sql`(
  coalesce(e.slow_at > ${isoTime(nowMs - slowForMs)}, false)
  or coalesce(u.first_ends_at <= ${isoTime(nowMs + leaseMs - slowAfterMs)}, false))`

/**
 * Claims due deliveries: per endpoint up to its free slots and in the order of the log. The first delivery of every endpoint with nothing
 * in flight comes first, fast endpoints before slow ones; then second deliveries, and so on. A slow endpoint has
 * `inFlightPerSlowEndpoint` slots, a failing one has one slot, and both kinds share `slowRoom`: slow receivers never take the slots of
 * fast ones. Among slow endpoints the fastest comes first, so that one that was slow briefly, or seemed so because this process was busy,
 * does not wait for those that always are.
 */
export async function claim(pool: DatabasePool, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { nowMs, leaseMs, inFlightPerEndpoint, inFlightPerSlowEndpoint, room, slowRoom, reserved } = options
  const now = isoTime(nowMs)
  const due = await pool.first(sql`
    select from chancery_outbound.endpoint e where e.status = 'active' and exists (
      select from chancery_outbound.delivery d
      where d.endpoint_id = e.id and d.state in ('pending', 'sending') and d.due_at <= ${now})
    limit 1`)
  if (!due) return []
  const claimed = await pool.transaction(async db => {
    await db.rows(asyncCommit)
    await db.rows(sql`select pg_advisory_xact_lock(${claimLock})`)
    return db.rows<ClaimedRow>(sql`
      with in_flight as materialized (
        select endpoint_id, count(*) as count, min(due_at) as first_ends_at from chancery_outbound.delivery
        where state = 'sending' and due_at > ${now} group by 1
      ), classified as materialized (
        select e.id, e.failing_since is not null as is_failing, ${isSlowAt(nowMs, leaseMs)} as is_slow,
          coalesce(u.count, 0) as in_flight, coalesce(e.slow_ms, 0) as slow_ms
        from chancery_outbound.endpoint e left join in_flight u on u.endpoint_id = e.id where e.status = 'active'
      ), waiting as materialized (
        select id, is_slow or is_failing as is_slow, in_flight, case when is_slow then slow_ms else 0 end as slow_ms,
          case when is_failing then 1 when is_slow then ${inFlightPerSlowEndpoint}::int else ${inFlightPerEndpoint}::int end - in_flight as free
        from classified where ${slowRoom}::int > 0 or not (is_slow or is_failing)
      ), due as (
        select d.*, w.is_slow, w.slow_ms, w.in_flight + d.place as position from waiting w cross join lateral (
          select id, due_at, row_number() over (order by due_at, seq) as place from (
            select c.id, c.due_at, c.seq from chancery_outbound.delivery c
            where c.endpoint_id = w.id and c.state in ('pending', 'sending') and c.due_at <= ${now}
            order by c.due_at, c.seq limit w.free
          ) first
        ) d where w.free > 0
      ), ranked as (
        select id, is_slow, position, row_number() over (order by position > 1, is_slow, position, slow_ms, due_at) as rank
        from (
          select *, row_number() over (partition by is_slow order by position, slow_ms, due_at) as rank_in_class from due
        ) in_class where not is_slow or rank_in_class <= ${slowRoom}
      ), locked as (
        select d.id, r.is_slow from ranked r join chancery_outbound.delivery d using (id)
        where r.rank <= case when r.position = 1 then ${room}::int else ${room - reserved}::int end
          and d.state in ('pending', 'sending') and d.due_at <= ${now}
        for update of d skip locked
      )
      update chancery_outbound.delivery d set state = 'sending', due_at = ${isoTime(nowMs + leaseMs)}, attempt = d.attempt + 1
      from locked, chancery_outbound.endpoint e
      where d.id = locked.id and e.id = d.endpoint_id
      returning d.id, d.endpoint_id, e.url, d.seq, d.attempt, d.failures, locked.is_slow,
        ${secretsAt(nowMs)} as secrets`)
  })
  return withEvents(pool, claimed, nowMs)
}

/** After a clock step backwards: retries become due now, and leases end one lease from now. */
export async function rescheduleAfterClockStep(
  db: Database,
  { nowMs, leaseMs }: Pick<ClaimOptions, 'nowMs' | 'leaseMs'>,
): Promise<void> {
  const latest = sql`case state when 'sending' then ${isoTime(nowMs + leaseMs)}::timestamptz else ${isoTime(nowMs)}::timestamptz end`
  await db.rows(sql`
    update chancery_outbound.delivery set due_at = ${latest}
    where state in ('pending', 'sending') and due_at > ${latest}`)
}

/** A delivery whose event is no longer kept has failed. */
async function withEvents(db: Database, claimed: ClaimedRow[], nowMs: number): Promise<ClaimedDelivery[]> {
  if (claimed.length === 0) return []
  const events = new Map(
    (await readEventsBySeq(db, [...new Set(claimed.map(({ seq }) => seq))])).map(event => [event.seq, event]),
  )
  const expired = claimed.filter(({ seq }) => !events.has(seq)).map(({ id }) => id)
  if (expired.length > 0)
    await db.rows(sql`
      update chancery_outbound.delivery set state = 'failed', finished_at = ${isoTime(nowMs)}
      where id = any(${expired}) and state = 'sending'`)
  return claimed
    .flatMap(delivery => {
      const event = events.get(delivery.seq)
      return event ? [{ ...delivery, event }] : []
    })
    .sort((one, other) => one.seq - other.seq)
}

/** Records the results of attempts. One whose lease ended and was taken over only adds its line to the delivery log. */
export async function recordResults(db: Database, results: DeliveryResult[], nowMs: number): Promise<void> {
  const rows = JSON.stringify(results)
  await db.rows(sql`
    with result as (
      select * from json_to_recordset(${rows}::json) as o (id bigint, attempt int, state text, due_at timestamptz,
        failures smallint, attempted_at timestamptz, latency_ms int, status smallint, error text, response text, signature text, user_agent text)
    ), updated as (
      update chancery_outbound.delivery d set state = o.state, due_at = coalesce(o.due_at, d.due_at), failures = o.failures,
        finished_at = case when o.state <> 'pending' then ${isoTime(nowMs)}::timestamptz end
      from result o where d.id = o.id and d.attempt = o.attempt and d.state = 'sending'
    )
    insert into chancery_outbound.attempt
      (delivery_id, number, attempted_at, latency_ms, status, error, response, next_at, signature, user_agent)
    select o.id, o.attempt, o.attempted_at, o.latency_ms, o.status, o.error, case when not d.drops_responses then o.response end,
      o.due_at, o.signature, o.user_agent
    from result o join chancery_outbound.delivery d on d.id = o.id
    on conflict do nothing`)
}

/** Releases claimed deliveries whose attempt was aborted: they are due again, and do not count as failures. */
export async function release(
  db: Database,
  held: readonly { id: number; attempt: number }[],
  nowMs: number,
): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.delivery d set state = 'pending', due_at = ${isoTime(nowMs)}
    from unnest(${held.map(({ id }) => id)}::bigint[], ${held.map(({ attempt }) => attempt)}::int[]) as h (id, attempt)
    where d.id = h.id and d.attempt = h.attempt and d.state = 'sending'`)
}

/** For transactions that may be lost in a crash of the database together with all later ones: the delivery is then sent again under its id. */
const asyncCommit = sql`set local synchronous_commit = off`
