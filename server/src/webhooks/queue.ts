import type { Event } from '../events/store.ts'
import { readEventsBySeq } from '../events/store.ts'
import { type Database, type DatabasePool, sql } from '../store/database.ts'
import { secretsAt } from './secrets.ts'

/** A delivery that this worker holds until its lease ends. */
export interface Claimed {
  id: number
  endpoint_id: string
  url: string
  secrets: string[]
  seq: number
  /** Numbers the attempts on this delivery; only its own attempt may a worker settle. */
  attempt: number
  /** How many attempts in a row have failed before. */
  failures: number
}

export interface ClaimedEvent extends Claimed {
  event: Event
}

/** What became of an attempt. */
export interface Settlement {
  id: number
  endpoint_id: string
  attempt: number
  state: 'pending' | 'delivered' | 'failed'
  /** When to try next, while pending. */
  due_at: string | null
  failures: number
  /** For the book of attempts. */
  attempted_at: string
  latency_ms: number
  status: number | null
  error: string | null
  answer: string | null
}

export interface ClaimOptions {
  nowMs: number
  /** How long nobody else may take what is claimed. Longer than an attempt may last. */
  leaseMs: number
  /** Under way at one endpoint at a time, over all processes. */
  inFlight: number
  /** How many this worker can take on at all. */
  room: number
}

/** Claims are taken by one process at a time: so the number under way at an endpoint is exact. */
const claimLock = 0x636c_6169

const time = (ms: number) => new Date(ms).toISOString()

/**
 * Claims what is due, for each endpoint up to its free slots and in the order of the log: what waits for one endpoint never
 * stands before another's. An endpoint whose latest attempt failed has one slot, and comes after those that answer.
 */
export async function claim(pool: DatabasePool, options: ClaimOptions): Promise<ClaimedEvent[]> {
  const { nowMs, leaseMs, inFlight, room } = options
  const now = time(nowMs)
  const claimed = await pool.transaction(async db => {
    await db.rows(losable)
    await db.rows(sql`select pg_advisory_xact_lock(${claimLock})`)
    return db.rows<Claimed>(sql`
      with waiting as materialized (
        select e.id, e.failing_since is not null as is_failing,
          case when e.failing_since is null then ${inFlight}::int else 1 end - (
            select count(*) from chancery_outbound.delivery u
            where u.endpoint_id = e.id and u.state = 'sending' and u.due_at > ${now}) as free
        from chancery_outbound.endpoint e
        where e.status = 'active' and exists (
          select from chancery_outbound.delivery d
          where d.endpoint_id = e.id and d.state in ('pending', 'sending') and d.due_at <= ${now})
      ), due as (
        select d.id from waiting w cross join lateral (
          select c.id, c.due_at from chancery_outbound.delivery c
          where c.endpoint_id = w.id and c.state in ('pending', 'sending') and c.due_at <= ${now}
          order by c.due_at, c.seq limit greatest(w.free, 0) for update skip locked
        ) d order by w.is_failing, d.due_at limit ${room}
      )
      update chancery_outbound.delivery d set state = 'sending', due_at = ${time(nowMs + leaseMs)}, attempt = d.attempt + 1
      from due, chancery_outbound.endpoint e
      where d.id = due.id and e.id = d.endpoint_id
      returning d.id, d.endpoint_id, e.url, d.seq, d.attempt, d.failures,
        ${secretsAt(nowMs)} as secrets`)
  })
  return withEvents(pool, claimed)
}

/**
 * After the clock was set back: what was to be tried later by the clock from before is due, and who holds something holds it
 * for a lease from now.
 */
export async function bringForward(
  db: Database,
  { nowMs, leaseMs }: Pick<ClaimOptions, 'nowMs' | 'leaseMs'>,
): Promise<void> {
  const latest = sql`case state when 'sending' then ${time(nowMs + leaseMs)}::timestamptz else ${time(nowMs)}::timestamptz end`
  await db.rows(sql`
    update chancery_outbound.delivery set due_at = ${latest}
    where state in ('pending', 'sending') and due_at > ${latest}`)
}

async function withEvents(db: Database, claimed: Claimed[]): Promise<ClaimedEvent[]> {
  if (claimed.length === 0) return []
  const events = new Map(
    (await readEventsBySeq(db, [...new Set(claimed.map(({ seq }) => seq))])).map(event => [event.seq, event]),
  )
  return claimed
    .flatMap(delivery => {
      const event = events.get(delivery.seq)
      return event ? [{ ...delivery, event }] : []
    })
    .sort((one, other) => one.seq - other.seq)
}

/**
 * Writes down what became of attempts. Whoever's lease ran out, and was taken over, changes nothing any more: only its line in
 * the book of attempts is kept.
 */
export async function settle(db: Database, settlements: Settlement[], nowMs: number): Promise<void> {
  const outcomes = JSON.stringify(settlements)
  await db.rows(sql`
    with outcome as (
      select * from json_to_recordset(${outcomes}::json) as o (id bigint, attempt int, state text, due_at timestamptz,
        failures smallint, attempted_at timestamptz, latency_ms int, status smallint, error text, answer text)
    ), settled as (
      update chancery_outbound.delivery d set state = o.state, due_at = coalesce(o.due_at, d.due_at), failures = o.failures,
        settled_at = case when o.state <> 'pending' then ${time(nowMs)}::timestamptz end
      from outcome o where d.id = o.id and d.attempt = o.attempt and d.state = 'sending'
    )
    insert into chancery_outbound.attempt (delivery_id, number, attempted_at, latency_ms, status, error, answer, next_at)
    select o.id, o.attempt, o.attempted_at, o.latency_ms, o.status, o.error, case when not d.drops_answers then o.answer end, o.due_at
    from outcome o join chancery_outbound.delivery d on d.id = o.id
    on conflict do nothing`)
}

/** Gives back what was claimed and not tried to its end: it is due again, and no failure of the receiver. */
export async function release(
  db: Database,
  held: readonly { id: number; attempt: number }[],
  nowMs: number,
): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.delivery d set state = 'pending', due_at = ${time(nowMs)}
    from unnest(${held.map(({ id }) => id)}::bigint[], ${held.map(({ attempt }) => attempt)}::int[]) as h (id, attempt)
    where d.id = h.id and d.attempt = h.attempt and d.state = 'sending'`)
}

const bookLock = 0x626f_6f6b

/**
 * Begins a transaction that books attempts. Others book beside it, but nobody switches or replays whole endpoints meanwhile:
 * they lock deliveries in another order, and each would wait for the other. It may be lost in a crash, as claims may.
 */
export const openBook = sql`
  select pg_advisory_xact_lock_shared(${bookLock}), set_config('synchronous_commit', 'off', true)`

/** Begins a transaction that changes the deliveries of whole endpoints, while nobody books. */
export const closeBook = sql`select pg_advisory_xact_lock(${bookLock})`

/**
 * For transactions that may be lost in a crash of the database, as long as nothing later survives it: then a claim or its
 * outcome was never written, and the delivery is sent once more under its id.
 */
const losable = sql`set local synchronous_commit = off`
