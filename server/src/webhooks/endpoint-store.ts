import { randomBytes } from 'node:crypto'
import type { DisabledReason, WebhookEndpoint } from '@chancery/contract'
import { type Database, type DatabasePool, type Sql, sql } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import type { FilterRow } from './filter.ts'
import { exclusiveDeliveryLock } from './queue.ts'

/** An endpoint, and whose it is. */
export interface Endpoint extends WebhookEndpoint {
  player_id: string
}

/** With what signs for it. */
export interface EndpointWithSecret extends Endpoint {
  secret: string
}

export type NewEndpoint = Pick<Endpoint, 'player_id' | 'url' | 'description'> & FilterRow

const time = (ms: number) => new Date(ms).toISOString()

/** A time inside JSON, written as everywhere else: without the zeros that a fraction ends in. */
export const utc = (column: Sql) =>
  sql`rtrim(rtrim(to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS'), '0'), '.') || 'Z'`

const columns = sql`
  e.id, e.player_id, e.url, e.description, e.types, e.nation_ids, e.alliance_ids, e.status, e.disabled_reason, e.disabled_at,
  e.created_at, e.last_delivered_at, e.last_failed_at, e.failing_since, e.previous_secret_ends_at,
  (select coalesce(json_agg(json_build_object('percent', w.percent, 'warned_at', ${utc(sql`w.warned_at`)}) order by w.percent), '[]')
   from chancery_outbound.warning w where w.endpoint_id = e.id) as warnings`

/** Adds an endpoint that hears nothing yet, or says why not. */
export async function insertEndpoint(
  pool: DatabasePool,
  endpoint: NewEndpoint,
  { secret, endpointsMax, nowMs }: { secret: string; endpointsMax: number; nowMs: number },
): Promise<EndpointWithSecret | 'too_many_endpoints' | 'player_suspended'> {
  const id = `whe_${randomBytes(9).toString('base64url').replace(/[-_]/g, '0')}`
  const { player_id, url, description, types, nation_ids, alliance_ids } = endpoint
  return pool.transaction(async db => {
    // Of two at once, the second counts the first.
    await db.rows(playerLock(player_id))
    const found = await db.first<{ count: number; is_suspended: boolean }>(sql`
      select count(*) as count,
        exists (select from chancery_access.suspension where player_id = ${player_id}) as is_suspended
      from chancery_outbound.endpoint where player_id = ${player_id}`)
    if (found?.is_suspended) return 'player_suspended'
    if ((found?.count ?? 0) >= endpointsMax) return 'too_many_endpoints'
    await db.rows(sql`
      insert into chancery_outbound.endpoint (id, player_id, url, description, types, nation_ids, alliance_ids, status,
        created_at, secret, secret_made_at)
      values (${id}, ${player_id}, ${url}, ${description}, ${types}, ${nation_ids}, ${alliance_ids}, 'unconfirmed',
        ${time(nowMs)}, ${secret}, ${time(nowMs)})`)
    const inserted = await findEndpointWithSecret(db, id)
    if (!inserted) throw new Error('an inserted endpoint was not found')
    return inserted
  })
}

export async function findEndpoint(db: Database, id: string): Promise<Endpoint | undefined> {
  return db.first<Endpoint>(sql`select ${columns} from chancery_outbound.endpoint e where e.id = ${id}`)
}

export async function findEndpointWithSecret(
  db: Database,
  id: string,
): Promise<EndpointWithSecret | undefined> {
  return db.first<EndpointWithSecret>(sql`
    select ${columns}, e.secret from chancery_outbound.endpoint e where e.id = ${id}`)
}

/** The endpoints of one player, or of all. */
export async function listEndpoints(
  db: Database,
  { playerId }: { playerId?: string | undefined },
): Promise<Endpoint[]> {
  const ofPlayer: Sql = playerId === undefined ? sql`true` : sql`e.player_id = ${playerId}`
  return db.rows<Endpoint>(sql`
    select ${columns} from chancery_outbound.endpoint e where ${ofPlayer} order by e.created_at, e.id`)
}

/** What its owner may change of an endpoint. */
export type EndpointChange = Pick<Endpoint, 'url' | 'description'> & FilterRow

/**
 * Changes an endpoint. With another URL it hears nothing until that has answered a test, and what waits for it has failed: the
 * new receiver gets what it is sent from then on, or what is replayed.
 */
export async function changeEndpoint(
  pool: DatabasePool,
  id: string,
  change: EndpointChange,
  nowMs: number,
): Promise<{ endpoint: Endpoint; hasMoved: boolean } | undefined> {
  const { url, description, types, nation_ids, alliance_ids } = change
  return pool.transaction(async db => {
    await db.rows(exclusiveDeliveryLock)
    const before = await db.first<{ url: string }>(sql`
      select url from chancery_outbound.endpoint where id = ${id} for update`)
    if (!before) return undefined
    const hasMoved = before.url !== url
    await db.rows(sql`
      update chancery_outbound.endpoint set url = ${url}, description = ${description}, types = ${types},
        nation_ids = ${nation_ids}, alliance_ids = ${alliance_ids},
        status = case when ${hasMoved} and status = 'active' then 'unconfirmed' else status end,
        failing_since = case when ${hasMoved} then null else failing_since end
      where id = ${id}`)
    if (hasMoved) {
      await failUnfinished(db, id, nowMs)
      await db.rows(sql`delete from chancery_outbound.warning where endpoint_id = ${id}`)
    }
    const endpoint = await findEndpoint(db, id)
    return endpoint && { endpoint, hasMoved }
  })
}

/**
 * Lets an endpoint hear what is logged from now on, if `url` is still where it is: that is what answered. What was logged while it was off is not made up for by itself: that would
 * flood whoever comes back; a replay brings what is wanted.
 */
export async function activate(
  pool: DatabasePool,
  { id, url }: Pick<Endpoint, 'id' | 'url'>,
  nowMs: number,
): Promise<Endpoint | 'player_suspended' | undefined> {
  return pool.transaction(async db => {
    // Not beside a step of the fan-out, which has read who hears: it would take events past this one.
    await db.rows(sql`select from chancery_outbound.fan_out for update`)
    await db.rows(exclusiveDeliveryLock)
    const suspended = await db.first(sql`
      select from chancery_outbound.endpoint join chancery_access.suspension using (player_id) where id = ${id}`)
    if (suspended) return 'player_suspended'
    const activated = await db.first(sql`
      update chancery_outbound.endpoint set status = 'active', disabled_reason = null, disabled_at = null, failing_since = null,
        heard_seq = (select seq from chancery_world.pulse)
      where id = ${id} and url = ${url} and status <> 'active' returning id`)
    if (activated) {
      await failUnfinished(db, id, nowMs)
      await db.rows(sql`delete from chancery_outbound.warning where endpoint_id = ${id}`)
    }
    return findEndpoint(db, id)
  })
}

/** Switches an endpoint off. What waits for it has failed, and can be replayed. */
export async function disable(
  pool: DatabasePool,
  id: string,
  reason: DisabledReason,
  nowMs: number,
): Promise<Endpoint | undefined> {
  return pool.transaction(async db => {
    await db.rows(exclusiveDeliveryLock)
    await setDisabled(db, id, reason, nowMs)
    return findEndpoint(db, id)
  })
}

/** Switches off all endpoints of a player. */
export async function disableAllOf(
  pool: DatabasePool,
  playerId: string,
  reason: DisabledReason,
  nowMs: number,
): Promise<number> {
  return pool.transaction(async db => {
    await db.rows(exclusiveDeliveryLock)
    const endpoints = await listEndpoints(db, { playerId })
    const hearing = endpoints.filter(({ status }) => status !== 'disabled')
    for (const { id } of hearing) await setDisabled(db, id, reason, nowMs)
    return hearing.length
  })
}

async function setDisabled(db: Database, id: string, reason: DisabledReason, nowMs: number): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.endpoint set status = 'disabled', disabled_reason = ${reason}, disabled_at = ${time(nowMs)}
    where id = ${id} and status <> 'disabled'`)
  await failUnfinished(db, id, nowMs)
}

/** What waits for an endpoint has failed. */
async function failUnfinished(db: Database, endpointId: string, nowMs: number): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.delivery set state = 'failed', settled_at = ${time(nowMs)}
    where endpoint_id = ${endpointId} and state in ('pending', 'sending')`)
}

/** Removes an endpoint with its deliveries and their attempts. False where there is none. */
export async function removeEndpoint(pool: DatabasePool, id: string): Promise<boolean> {
  return pool.transaction(async db => {
    await db.rows(exclusiveDeliveryLock)
    const removed = await db.first(sql`delete from chancery_outbound.endpoint where id = ${id} returning id`)
    await db.rows(sql`
      with gone as (delete from chancery_outbound.delivery where endpoint_id = ${id} returning id)
      delete from chancery_outbound.attempt a using gone where a.delivery_id = gone.id`)
    return removed !== undefined
  })
}
