import { type DisabledReason, webhooks } from '@chancery/contract'
import { type Database, isoTime, sql } from '../store/database.ts'
import { type DeliveryResult, slowAfterMs } from './queue.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How stale the times of the last success and slow attempt may be: writing them every time would cost as much as the delivery. */
const writtenEveryMs = 10_000

/** Why an attempt failed: a status, or why there was no response. */
export interface FailureReason {
  status: number | null
  error: string | null
}

interface EndpointToDisable {
  id: string
  reason: DisabledReason
}

/**
 * Updates the health of endpoints from the results of attempts: a failure period begins, continues or ends. Returns the endpoints to
 * disable: those that failed for too long, and those that returned 410 Gone.
 */
export async function updateHealth(
  db: Database,
  results: readonly DeliveryResult[],
  nowMs: number,
): Promise<EndpointToDisable[]> {
  const succeeded = new Set<string>()
  /** By endpoint, its last failed attempt. */
  const failed = new Map<string, FailureReason>()
  const gone = new Set<string>()
  const slow = new Map<string, number>()
  for (const { endpoint_id, state, status, error, latency_ms } of results) {
    if (state === 'delivered') succeeded.add(endpoint_id)
    else failed.set(endpoint_id, { status, error })
    if (status === 410) gone.add(endpoint_id)
    if (latency_ms >= slowAfterMs) slow.set(endpoint_id, Math.max(latency_ms, slow.get(endpoint_id) ?? 0))
  }
  // With a success in the same batch, failures are sporadic.
  const onlyFailed = [...failed].flatMap(([id, reason]) => (succeeded.has(id) ? [] : [{ id, ...reason }]))
  const stale = succeeded.size > 0 ? await findStale(db, [...succeeded], nowMs) : []
  await lock(db, [...stale.map(({ id }) => id), ...onlyFailed.map(({ id }) => id), ...slow.keys()])
  await recordSlow(db, slow, nowMs)
  if (stale.length > 0) await recordSuccess(db, stale, nowMs)
  const failing = onlyFailed.length > 0 ? await recordFailures(db, onlyFailed, nowMs) : []
  return [
    ...failing.map(id => ({ id, reason: 'failing' as const })),
    ...[...gone].map(id => ({ id, reason: 'gone' as const })),
  ]
}

/** Locks all rows that a transaction changes, in the order of their ids, which prevents deadlocks. */
async function lock(db: Database, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await db.rows(sql`
    select id from chancery_outbound.endpoint where id = any(${ids}) order by id for no key update`)
}

/** An endpoint whose last success must be written. */
interface StaleEndpoint {
  id: string
  is_failing: boolean
}

const findStale = (db: Database, ids: string[], nowMs: number) =>
  db.rows<StaleEndpoint>(sql`
    select id, failing_since is not null as is_failing from chancery_outbound.endpoint
    where id = any(${ids}) and (failing_since is not null or last_delivered_at is null
      or last_delivered_at < ${isoTime(nowMs - writtenEveryMs)})`)

async function recordSuccess(db: Database, stale: StaleEndpoint[], nowMs: number): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.endpoint set last_delivered_at = ${isoTime(nowMs)}, failing_since = null
    where id = any(${stale.map(({ id }) => id)})`)
  const recovered = stale.filter(({ is_failing }) => is_failing).map(({ id }) => id)
  if (recovered.length > 0)
    await db.rows(sql`delete from chancery_outbound.warning where endpoint_id = any(${recovered})`)
}

/** Marks endpoints as slow, with the duration in milliseconds, which determines their slots and order. */
export async function recordSlow(
  db: Database,
  slow: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<void> {
  if (slow.size === 0) return
  await db.rows(sql`
    update chancery_outbound.endpoint e set slow_at = ${isoTime(nowMs)}, slow_ms = s.ms
    from unnest(${[...slow.keys()]}::text[], ${[...slow.values()].map(Math.round)}::int[]) as s (id, ms)
    where e.id = s.id and (e.slow_at is null or e.slow_at < ${isoTime(nowMs - writtenEveryMs)})`)
}

/** Failures before this time are sporadic: the next one begins a new failure period. */
const sporadicBefore = (nowMs: number) => isoTime(nowMs - webhooks.sporadicAfterHours * hourMs)

/**
 * Records a failed test, which is no delivery: it neither begins nor prolongs a failure period, and endpoints that are not active have
 * one too. Within a period, the last failure stays that of a delivery, since it decides whether the next one continues the period.
 */
export async function recordFailedTest(
  db: Database,
  id: string,
  { status, error }: FailureReason,
  nowMs: number,
): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.endpoint set last_failed_at = ${isoTime(nowMs)}, last_failed_status = ${status},
      last_failed_error = ${error}, failing_since = null
    where id = ${id} and (failing_since is null or last_failed_at < ${sporadicBefore(nowMs)})`)
}

/** Returns the endpoints that failed for too long. */
async function recordFailures(
  db: Database,
  failures: ({ id: string } & FailureReason)[],
  nowMs: number,
): Promise<string[]> {
  const periods = await db.rows<{ id: string; failing_since: string }>(sql`
    update chancery_outbound.endpoint e set last_failed_at = ${isoTime(nowMs)}, last_failed_status = f.status,
      last_failed_error = f.error, failing_since = case
        when failing_since is null or last_failed_at < ${sporadicBefore(nowMs)} then ${isoTime(nowMs)} else failing_since end
    from json_to_recordset(${JSON.stringify(failures)}::json) as f (id text, status smallint, error text)
    where e.id = f.id and e.status = 'active'
    returning e.id, failing_since`)
  const expired: string[] = []
  for (const { id, failing_since } of periods) {
    const percent = ((nowMs - Date.parse(failing_since)) / (webhooks.failingDays * dayMs)) * 100
    if (percent >= 100) expired.push(id)
    const reached = webhooks.failingWarnings.filter(warning => warning <= percent)
    await db.rows(sql`
      insert into chancery_outbound.warning (endpoint_id, percent, warned_at)
      select ${id}, percent, ${isoTime(nowMs)} from unnest(${reached}::smallint[]) as reached (percent)
      on conflict do nothing`)
  }
  return expired
}
