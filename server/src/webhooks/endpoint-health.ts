import { webhooks } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import type { Settlement } from './queue.ts'
import { disable } from './store.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How stale the time of the last success may be: writing it on every one would cost as much as the delivery. */
const deliveredEveryMs = 10_000

/** What attempts say of their endpoints: a spell of failures begins, goes on or ends; one too long switches off, as does 410. */
export async function noteHealth(
  db: Database,
  settlements: readonly Settlement[],
  nowMs: number,
): Promise<void> {
  const succeeded = new Set<string>()
  const failed = new Set<string>()
  const gone = new Set<string>()
  for (const { endpoint_id, state, status } of settlements) {
    if (state === 'delivered') succeeded.add(endpoint_id)
    else failed.add(endpoint_id)
    if (status === 410) gone.add(endpoint_id)
  }
  if (succeeded.size > 0) await noteSuccess(db, [...succeeded], nowMs)
  // Where others of the same moment arrived, failures are sporadic.
  const onlyFailed = [...failed].filter(id => !succeeded.has(id))
  if (onlyFailed.length > 0) await noteFailure(db, onlyFailed, nowMs)
  for (const id of gone) await disable(db, id, 'gone', nowMs)
}

const time = (ms: number) => new Date(ms).toISOString()

/** Rows are locked in the order of their ids, here and below: two workers never wait for each other. */
const inOrder = (ids: string[]) =>
  sql`(select id from chancery_outbound.endpoint where id = any(${ids}) order by id for no key update)`

async function noteSuccess(db: Database, ids: string[], nowMs: number): Promise<void> {
  const stale = await db.rows<{ id: string; is_failing: boolean }>(sql`
    select id, failing_since is not null as is_failing from chancery_outbound.endpoint
    where id = any(${ids}) and (failing_since is not null or last_delivered_at is null
      or last_delivered_at < ${time(nowMs - deliveredEveryMs)})`)
  if (stale.length === 0) return
  await db.rows(sql`
    update chancery_outbound.endpoint e set last_delivered_at = ${time(nowMs)}, failing_since = null
    from ${inOrder(stale.map(({ id }) => id))} held where e.id = held.id`)
  const recovered = stale.filter(({ is_failing }) => is_failing).map(({ id }) => id)
  if (recovered.length > 0)
    await db.rows(sql`delete from chancery_outbound.warning where endpoint_id = any(${recovered})`)
}

async function noteFailure(db: Database, ids: string[], nowMs: number): Promise<void> {
  const sporadicBefore = time(nowMs - webhooks.sporadicAfterHours * hourMs)
  const spells = await db.rows<{ id: string; failing_since: string }>(sql`
    update chancery_outbound.endpoint e set last_failed_at = ${time(nowMs)}, failing_since = case
      when e.failing_since is null or e.last_failed_at < ${sporadicBefore} then ${time(nowMs)} else e.failing_since end
    from ${inOrder(ids)} held where e.id = held.id and e.status = 'active'
    returning e.id, e.failing_since`)
  for (const { id, failing_since } of spells) {
    const percent = ((nowMs - Date.parse(failing_since)) / (webhooks.failingDays * dayMs)) * 100
    if (percent >= 100) await disable(db, id, 'failing', nowMs)
    const reached = webhooks.failingWarnings.filter(warning => warning <= percent)
    await db.rows(sql`
      insert into chancery_outbound.warning (endpoint_id, percent, warned_at)
      select ${id}, percent, ${time(nowMs)} from unnest(${reached}::smallint[]) as reached (percent)
      on conflict do nothing`)
  }
}
