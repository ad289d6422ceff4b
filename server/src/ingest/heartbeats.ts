import { type Heartbeat, limits, type operatorOperations, type ResponseOf } from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'

export type Sender = NonNullable<ResponseOf<typeof operatorOperations.statusGet>['senders']>[number]

/** Stores the heartbeat of a feed. Undefined where it would exceed the number of senders. */
export async function saveHeartbeat(
  db: Database,
  feed: string,
  { next_within_seconds, read_at, ...document }: Heartbeat,
): Promise<{ feed: string; heartbeat_at: string } | undefined> {
  return db.first<{ feed: string; heartbeat_at: string }>(sql`
    insert into chancery_secret.heartbeat (feed, heartbeat_at, next_within_seconds, read_at, document)
    select ${feed}, date_trunc('milliseconds', clock_timestamp()), ${next_within_seconds}::bigint, ${read_at}::timestamptz,
      ${JSON.stringify(document)}::jsonb
    where exists (select from chancery_secret.heartbeat where feed = ${feed})
      or (select count(*) from chancery_secret.heartbeat) < ${limits.senders}
    on conflict (feed) do update set heartbeat_at = excluded.heartbeat_at, next_within_seconds = excluded.next_within_seconds,
      read_at = excluded.read_at, document = excluded.document
    returning feed, heartbeat_at`)
}

/** Returns false where there is none. */
export async function deleteHeartbeat(db: Database, feed: string): Promise<boolean> {
  return (
    (await db.first(sql`delete from chancery_secret.heartbeat where feed = ${feed} returning feed`)) !==
    undefined
  )
}

/** Rows that were set aside are counted where they are stored: by the sender, or by the service. */
export async function listSenders(db: Database): Promise<Sender[]> {
  const secondsSince = (at: Sql) =>
    sql`case when ${at} is not null then round(extract(epoch from greatest(clock_timestamp() - ${at}, interval '0')), 1) end`
  const rows = await db.rows<
    Omit<Sender, keyof Heartbeat> &
      Pick<Sender, 'next_within_seconds' | 'read_at'> & { document: Heartbeat; stored: number }
  >(sql`
    select feed, next_within_seconds, read_at, document, heartbeat_at, ${secondsSince(sql`heartbeat_at`)} as heartbeat_age_seconds,
      ${secondsSince(sql`read_at`)} as read_age_seconds,
      coalesce(clock_timestamp() > heartbeat_at + make_interval(secs => next_within_seconds), false) as is_overdue,
      (select count(*) from chancery_secret.dead_letter d where d.is_set_aside and d.feed = h.feed) as stored
    from chancery_secret.heartbeat h order by feed`)
  return rows.map(({ document, stored, ...row }) => ({
    ...document,
    set_aside: document.set_aside + stored,
    ...row,
  }))
}

/** Deletes heartbeats of senders that have stopped long ago. */
export async function deleteOldHeartbeats(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_secret.heartbeat where heartbeat_at < now() - make_interval(days => ${limits.heartbeatDays})`)
}
