import { type Database, type Sql, sql } from '../store/database.ts'

const time = (ms: number) => new Date(ms).toISOString()

/** The secrets of endpoint `e` that were replaced and still sign, oldest first: of each, `secret` and `ends_at`. */
const previousAt = (nowMs: number): Sql => sql`(
  select coalesce(jsonb_agg(p order by (p->>'ends_at')::timestamptz), '[]') from jsonb_array_elements(
    e.older_secrets || jsonb_build_object('secret', e.previous_secret, 'ends_at', e.previous_secret_ends_at)) p
  where (p->>'ends_at')::timestamptz > ${time(nowMs)})`

/** What signs for endpoint `e`, the newest first: its secret, and for a while those before it. */
export const secretsAt = (nowMs: number): Sql => sql`
  array[e.secret] || array(
    select p->>'secret' from jsonb_array_elements(${previousAt(nowMs)}) with ordinality p (p, number) order by number desc)`

/** What signs a message to an endpoint, the newest first. */
export async function findSecrets(db: Database, endpointId: string, nowMs: number): Promise<string[]> {
  const row = await db.first<{ secrets: string[] }>(sql`
    select ${secretsAt(nowMs)} as secrets from chancery_outbound.endpoint e where e.id = ${endpointId}`)
  return row?.secrets ?? []
}

/**
 * Replaces the secret of an endpoint. The one before signs beside it for `overlapMs`, as do those before that one, each to its own end:
 * with `previousMax` of them, nothing is replaced.
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
        previous_secret_ends_at = ${time(nowMs + overlapMs)}, secret = ${secret}, secret_made_at = ${time(nowMs)}
      from found f where e.id = f.id and jsonb_array_length(f.previous) < ${previousMax} returning e.id
    )
    select exists (select from replaced) as is_replaced from found`)
  return row && (row.is_replaced ? 'replaced' : 'too_many')
}

/** When the first of the secrets ends that were replaced and still sign. */
export async function firstPreviousEnd(db: Database, id: string, nowMs: number): Promise<string | undefined> {
  const row = await db.first<{ ends_at: string }>(sql`
    select (${previousAt(nowMs)}->0->>'ends_at')::timestamptz as ends_at from chancery_outbound.endpoint e where e.id = ${id}`)
  return row?.ends_at
}
