import { limits } from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'

/** A call as the operator sees it: made with a key, or from an address. */
export interface FoundCall {
  request_id: string
  at: string
  operation: string
  status: number
  duration_ms: number
  key_id: string | null
  key_name: string | null
  player_id: string | null
  /** Null where a key called: then that counts, and no address is kept. */
  address: string | null
}

/** Everything that is known of a request, newest first: a proxy may have given its id twice. */
export async function findCalls(db: Database, requestId: string): Promise<FoundCall[]> {
  return db.rows(sql`
    select c.request_id, c.at, c.operation, c.status, c.duration_us / 1000.0 as duration_ms,
      c.key_id, k.name as key_name, k.player_id, null as address
    from chancery_access.key_call c left join chancery_access.api_key k on k.id = c.key_id
    where c.request_id = ${requestId}
    union all
    select request_id, at, operation, status, duration_us / 1000.0, null, null, null, address
    from chancery_access.address_call where request_id = ${requestId}
    order by at desc limit ${linesMax}`)
}

const linesMax = 100

/** Of which time, and how many. */
export interface Top {
  hours: number
  limit: number
}

export interface BusyKey {
  key_id: string
  name: string | null
  player_id: string | null
  calls: number
  /** Of them, refused with 429, and with 403. */
  limited: number
  refused: number
  /** Of them, those whose answer said that something of it will go. */
  deprecated: number
  /** Verification codes redeemed. */
  redemptions: number
}

/** Keys by calls in the last clock hours; the one that goes on is the last. */
export async function busiestKeys(db: Database, { hours, limit }: Top, nowMs: number): Promise<BusyKey[]> {
  return db.rows(sql`
    select h.*, k.name, k.player_id from (
      select key_id, sum(calls) as calls, sum(deprecated) as deprecated,
        ${callsWhere(sql`status = 429`)} as limited, ${callsWhere(sql`status = 403`)} as refused,
        ${callsWhere(sql`operation = 'discord.verify' and status = 200`)} as redemptions
      from chancery_access.key_hour where hour >= ${firstHour(hours, nowMs)}
      group by key_id order by calls desc, key_id limit ${limit}
    ) h left join chancery_access.api_key k on k.id = h.key_id
    order by h.calls desc, h.key_id`)
}

const callsWhere = (condition: Sql) => sql`coalesce(sum(calls) filter (where ${condition}), 0)`

export interface BusyAddress {
  /** An IPv4 address, an IPv6 /64, or `other`: all beyond as many as are counted one by one. */
  address: string
  calls: number
  /** Of them, refused with 429, and with 401. */
  limited: number
  refused: number
}

/** Addresses by calls without a valid key. */
export async function busiestAddresses(
  db: Database,
  { hours, limit }: Top,
  nowMs: number,
): Promise<BusyAddress[]> {
  return db.rows(sql`
    select address, sum(calls) as calls, sum(limited) as limited, sum(refused) as refused
    from chancery_access.address_hour where hour >= ${firstHour(hours, nowMs)}
    group by address order by calls desc, address limit ${limit}`)
}

const hourMs = 3_600_000
/** How far back keys and addresses are counted. */
export const keyHoursMax = limits.requestLogDays * 24
export const addressHoursMax = 47

const firstHour = (hours: number, nowMs: number) =>
  new Date((Math.floor(nowMs / hourMs) - hours + 1) * hourMs).toISOString()
