import { randomBytes } from 'node:crypto'
import { webhooks } from '@chancery/contract'
import { type Database, isoTime, type Sql, sql } from '../store/database.ts'

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const makeSecret = (): string =>
  webhooks.secretPrefix + randomBytes(webhooks.secretBytes).toString('base64')

/** The replaced secrets of endpoint `e` that still sign, oldest first: each with `secret` and `ends_at`. */
const previousAt = (nowMs: number): Sql => sql`(
  select coalesce(jsonb_agg(p order by (p->>'ends_at')::timestamptz), '[]') from jsonb_array_elements(
    e.older_secrets || jsonb_build_object('secret', e.previous_secret, 'ends_at', e.previous_secret_ends_at)) p
  where (p->>'ends_at')::timestamptz > ${isoTime(nowMs)})`

/** The secrets that sign for endpoint `e`, newest first. */
export const secretsAt = (nowMs: number): Sql => sql`
  array[e.secret] || array(
    select p->>'secret' from jsonb_array_elements(${previousAt(nowMs)}) with ordinality p (p, number) order by number desc)`

export async function findSecrets(db: Database, endpointId: string, nowMs: number): Promise<string[]> {
  const row = await db.first<{ secrets: string[] }>(sql`
    select ${secretsAt(nowMs)} as secrets from chancery_outbound.endpoint e where e.id = ${endpointId}`)
  return row?.secrets ?? []
}

/**
 * Replaces the secret of an endpoint. The old one continues to sign for `overlapMs`, as do earlier ones until their own end. Changes
 * nothing where `previousMax` old secrets still sign.
 */
export async function replaceSecret(
  db: Database,
  id: string,
  options: { secret: string; overlapMs: number; previousMax: number; nowMs: number },
): Promise<'replaced' | 'too_many' | undefined> {
  const { secret, overlapMs, previousMax, nowMs } = options
  const row = await db.first<{ is_replaced: boolean }>(sql`
    with locked as (select * from chancery_outbound.endpoint where id = ${id} for update),
    found as (select e.id, ${previousAt(nowMs)} as previous from locked e),
    replaced as (
      update chancery_outbound.endpoint e set older_secrets = f.previous, previous_secret = e.secret,
        previous_secret_ends_at = ${isoTime(nowMs + overlapMs)}, secret = ${secret}, secret_created_at = ${isoTime(nowMs)}
      from found f where e.id = f.id and jsonb_array_length(f.previous) < ${previousMax} returning e.id
    )
    select exists (select from replaced) as is_replaced from found`)
  return row && (row.is_replaced ? 'replaced' : 'too_many')
}

/** When the first of the replaced secrets stops signing. */
export async function firstPreviousEnd(db: Database, id: string, nowMs: number): Promise<string | undefined> {
  const row = await db.first<{ ends_at: string }>(sql`
    select (${previousAt(nowMs)}->0->>'ends_at')::timestamptz as ends_at from chancery_outbound.endpoint e where e.id = ${id}`)
  return row?.ends_at
}
