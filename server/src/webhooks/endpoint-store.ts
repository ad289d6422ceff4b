import { randomBytes } from 'node:crypto'
import {
  type Contract,
  type DisabledReason,
  type EventFilter,
  limits,
  matchesType,
  type WebhookEndpoint,
  webhooks,
} from '@chancery/contract'
import { type Database, type DatabasePool, isoTime, type Sql, sql } from '../store/database.ts'
import { exclusiveDeliveryLock, playerLock } from '../store/locks.ts'

export interface Endpoint extends WebhookEndpoint {
  player_id: string
}

export interface EndpointWithSecret extends Endpoint {
  secret: string
}

/** The event filter of an endpoint as stored: null for no condition. */
export interface FilterRow {
  types: string[] | null
  nation_ids: string[] | null
  alliance_ids: string[] | null
}

export const filterOf = ({ types, nation_ids, alliance_ids }: FilterRow): EventFilter => ({
  types: types ?? undefined,
  nationIds: nation_ids ?? undefined,
  allianceIds: alliance_ids ?? undefined,
})

export type NewEndpoint = Pick<Endpoint, 'player_id' | 'url' | 'description'> & FilterRow

/** A time inside JSON, formatted as elsewhere: without trailing zeros in the fraction. */
export const utc = (column: Sql) =>
  sql`rtrim(rtrim(to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS'), '0'), '.') || 'Z'`

const columns = sql`
  e.id, e.player_id, e.url, e.description, e.types, e.nation_ids, e.alliance_ids, e.status, e.disabled_reason, e.disabled_at,
  e.created_at, e.last_delivered_at, e.last_failed_at, e.last_failed_status, e.last_failed_error, e.failing_since, e.previous_secret_ends_at,
  case when e.failing_since is not null then (
    select min(d.due_at) from chancery_outbound.delivery d
    where d.endpoint_id = e.id and d.state = 'pending') end as next_attempt_at,
  (select coalesce(json_agg(json_build_object('percent', w.percent, 'warned_at', ${utc(sql`w.warned_at`)}) order by w.percent), '[]')
   from chancery_outbound.warning w where w.endpoint_id = e.id) as warnings`

/** Adds an endpoint that receives nothing until it is activated. */
export async function insertEndpoint(
  pool: DatabasePool,
  endpoint: NewEndpoint,
  { secret, endpointsMax, nowMs }: { secret: string; endpointsMax: number; nowMs: number },
): Promise<EndpointWithSecret | 'too_many_endpoints' | 'player_suspended'> {
  const id = `whe_${randomBytes(9).toString('base64url').replace(/[-_]/g, '0')}`
  const { player_id, url, description, types, nation_ids, alliance_ids } = endpoint
  return pool.transaction(async db => {
    // Of two concurrent inserts, the second counts the first.
    await db.rows(playerLock(player_id))
    const found = await db.first<{ count: number; is_suspended: boolean }>(sql`
      select count(*) as count,
        exists (select from chancery_access.suspension where player_id = ${player_id}) as is_suspended
      from chancery_outbound.endpoint where player_id = ${player_id}`)
    if (found?.is_suspended) return 'player_suspended'
    if ((found?.count ?? 0) >= endpointsMax) return 'too_many_endpoints'
    await db.rows(sql`
      insert into chancery_outbound.endpoint (id, player_id, url, description, types, nation_ids, alliance_ids, status,
        created_at, secret, secret_created_at)
      values (${id}, ${player_id}, ${url}, ${description}, ${types}, ${nation_ids}, ${alliance_ids}, 'unconfirmed',
        ${isoTime(nowMs)}, ${secret}, ${isoTime(nowMs)})`)
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

/** The members that its owner may change. */
export type EndpointChange = Pick<Endpoint, 'url' | 'description'> & FilterRow

/**
 * Changes an endpoint. A new URL makes it unconfirmed until it passes a test, and fails its unfinished deliveries: the new receiver gets
 * only later events, or those that are replayed.
 */
export async function changeEndpoint(
  pool: DatabasePool,
  id: string,
  change: EndpointChange,
  nowMs: number,
): Promise<{ endpoint: Endpoint; urlChanged: boolean } | undefined> {
  const { url, description, types, nation_ids, alliance_ids } = change
  return pool.transaction(async db => {
    await db.rows(exclusiveDeliveryLock)
    const before = await db.first<{ url: string }>(sql`
      select url from chancery_outbound.endpoint where id = ${id} for update`)
    if (!before) return undefined
    const urlChanged = before.url !== url
    await db.rows(sql`
      update chancery_outbound.endpoint set url = ${url}, description = ${description}, types = ${types},
        nation_ids = ${nation_ids}, alliance_ids = ${alliance_ids},
        status = case when ${urlChanged} and status = 'active' then 'unconfirmed' else status end,
        failing_since = case when ${urlChanged} then null else failing_since end
      where id = ${id}`)
    if (urlChanged) {
      await failUnfinished(db, id, nowMs)
      await db.rows(sql`delete from chancery_outbound.warning where endpoint_id = ${id}`)
    }
    const endpoint = await findEndpoint(db, id)
    return endpoint && { endpoint, urlChanged }
  })
}

/**
 * Activates an endpoint for events logged from now on, if its URL is still the one that passed the test. Events logged while it was
 * disabled are not sent, because that would flood the receiver; its owner can replay them.
 */
export async function activate(
  pool: DatabasePool,
  { id, url }: Pick<Endpoint, 'id' | 'url'>,
  nowMs: number,
): Promise<Endpoint | 'player_suspended' | undefined> {
  return pool.transaction(async db => {
    // Excludes a concurrent fan-out step, which has read its subscribers already: it would skip events for this one.
    await db.rows(sql`select from chancery_outbound.fan_out for update`)
    await db.rows(exclusiveDeliveryLock)
    const suspended = await db.first(sql`
      select from chancery_outbound.endpoint join chancery_access.suspension using (player_id) where id = ${id}`)
    if (suspended) return 'player_suspended'
    const activated = await db.first(sql`
      update chancery_outbound.endpoint set status = 'active', disabled_reason = null, disabled_at = null, failing_since = null,
        subscribed_from_seq = (select seq from chancery_world.pulse)
      where id = ${id} and url = ${url} and status <> 'active' returning id`)
    if (activated) {
      await failUnfinished(db, id, nowMs)
      await db.rows(sql`delete from chancery_outbound.warning where endpoint_id = ${id}`)
    }
    return findEndpoint(db, id)
  })
}

/** Disables an endpoint. Its unfinished deliveries fail and can be replayed. */
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

/** Disables all endpoints of a player. Returns how many. */
export async function disableAllOf(
  pool: DatabasePool,
  playerId: string,
  reason: DisabledReason,
  nowMs: number,
): Promise<number> {
  return pool.transaction(async db => {
    await db.rows(exclusiveDeliveryLock)
    const endpoints = await listEndpoints(db, { playerId })
    const enabled = endpoints.filter(({ status }) => status !== 'disabled')
    for (const { id } of enabled) await setDisabled(db, id, reason, nowMs)
    return enabled.length
  })
}

async function setDisabled(db: Database, id: string, reason: DisabledReason, nowMs: number): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.endpoint set status = 'disabled', disabled_reason = ${reason}, disabled_at = ${isoTime(nowMs)}
    where id = ${id} and status <> 'disabled'`)
  await failUnfinished(db, id, nowMs)
}

/** Fails the unfinished deliveries of an endpoint. */
async function failUnfinished(db: Database, endpointId: string, nowMs: number): Promise<void> {
  await db.rows(sql`
    update chancery_outbound.delivery set state = 'failed', finished_at = ${isoTime(nowMs)}
    where endpoint_id = ${endpointId} and state in ('pending', 'sending')`)
}

/** Removes an endpoint with its deliveries and their attempts. Returns false for an unknown id. */
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

/** Describes an invalid filter; undefined for a valid one. */
export function filterProblem(
  { eventKinds }: Pick<Contract, 'eventKinds'>,
  filter: FilterRow,
): { field: keyof FilterRow; message: string } | undefined {
  const types = Object.keys(eventKinds)
  const problem = (field: keyof FilterRow, message: string) => ({ field, message: `${field}: ${message}` })
  const unknown = filter.types?.find(word => !types.some(type => matchesType(word, type)))
  if (unknown !== undefined)
    return problem(
      'types',
      `${JSON.stringify(unknown)} is neither an event type nor a family like war.*. Event types are ${types.join(', ')}.`,
    )
  for (const field of ['types', 'nation_ids', 'alliance_ids'] as const) {
    const values = filter[field]
    if (values === null) continue
    if (values.length === 0)
      return problem(field, 'is empty and would match no event; leave it out to receive all.')
    if (values.length > limits.idsMax) return problem(field, `has more than ${limits.idsMax} entries.`)
  }
  return undefined
}

const failingMs = webhooks.failingDays * 86_400_000

/** When a failing endpoint will be disabled; null for one that is not failing. */
export const disablesAt = ({
  failing_since,
  status,
}: Pick<Endpoint, 'failing_since' | 'status'>): string | null =>
  failing_since === null || status !== 'active'
    ? null
    : new Date(Date.parse(failing_since) + failingMs).toISOString()
