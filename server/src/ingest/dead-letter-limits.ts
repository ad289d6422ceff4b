import { type DroppedBatch, limits } from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'

/** A refused batch that is to be kept: its size on disk without its facts, and that of its facts. */
export interface IncomingDeadLetter {
  id: string
  feed: string | null
  recordBytes: number
  contentBytes: number
}

/** What there is room for, and what was dropped to make it. */
export interface Room {
  holds: 'all' | 'record' | 'nothing'
  dropped: DroppedDeadLetter[]
}

export type DroppedDeadLetter = Omit<DroppedBatch, 'dropped_at'>

/** What a kept batch takes: the facts as they were sent, and why it was refused. */
const sizeOf = sql`(case when content is null then 0 else bytes end + pg_column_size(refusals))`

/** A feed that is known has room of its own. All other names, which anybody can make up, share one. */
async function shareOf(db: Database, feed: string | null): Promise<Sql> {
  const known = await db.first(sql`select from chancery_secret.feed where name = ${feed}`)
  return known
    ? sql`feed = ${feed}`
    : sql`not exists (select from chancery_secret.feed f where f.name = refused_batch.feed)`
}

/**
 * Makes room for a refused batch, in its feed and in all. What can be spared is dropped, the oldest first: records whose facts are not
 * kept, and batches that were overtaken. Batches that somebody can still apply stay: their sender was told that they are kept.
 */
export async function makeRoom(db: Database, incoming: IncomingDeadLetter): Promise<Room> {
  await db.rows(sql`select pg_advisory_xact_lock(hashtext('chancery dead letters'), 0)`)
  const dropped: DroppedDeadLetter[] = []
  let holds: Room['holds'] = 'all'
  for (const { share, countMax, bytesMax } of [
    {
      share: await shareOf(db, incoming.feed),
      countMax: limits.deadLettersPerFeed,
      bytesMax: limits.deadLetterBytesPerFeed,
    },
    { share: sql`true`, countMax: limits.deadLettersTotal, bytesMax: limits.deadLetterBytesTotal },
  ]) {
    const others = sql`${share} and id <> ${incoming.id}`
    const wanted = incoming.recordBytes + incoming.contentBytes
    let used = await usedBy(db, others)
    if (used.count >= countMax || used.bytes + wanted > bytesMax) {
      const spared = { count: used.count + 1 - countMax, bytes: used.bytes + wanted - bytesMax }
      dropped.push(...(await dropExpendable(db, others, spared)))
      used = await usedBy(db, others)
    }
    if (used.count >= countMax || used.bytes + incoming.recordBytes > bytesMax) holds = 'nothing'
    else if (holds === 'all' && used.bytes + wanted > bytesMax) holds = 'record'
  }
  return { holds, dropped }
}

async function usedBy(db: Database, share: Sql): Promise<{ count: number; bytes: number }> {
  const row = await db.first<{ count: number; bytes: number }>(sql`
    select count(*) as count, coalesce(sum(${sizeOf}), 0)::bigint as bytes from chancery_secret.refused_batch where ${share}`)
  return row ?? { count: 0, bytes: 0 }
}

/** Drops as many batches as have to go for this number and these bytes, as far as they can be spared. */
const dropExpendable = (db: Database, share: Sql, { count, bytes }: { count: number; bytes: number }) =>
  db.rows<DroppedDeadLetter>(sql`
    delete from chancery_secret.refused_batch where id in (
      select id from (
        select id, row_number() over (order by content is not null, last_refused_at, id) as place,
          sum(${sizeOf}) over (order by content is null, last_refused_at, id) - ${sizeOf} as freed_before
        from chancery_secret.refused_batch
        where ${share} and (content is null or overtaken_by is not null)) as spare
      where place <= ${count} or freed_before < ${bytes})
    returning id, feed, facts, bytes, false as is_listed`)

/** Notes what was dropped, for the list of refused batches: the latest alone. */
export async function recordDropped(db: Database, dropped: readonly DroppedDeadLetter[]): Promise<void> {
  if (dropped.length === 0) return
  await db.rows(sql`
    insert into chancery_secret.refused_dropped (id, feed, facts, bytes, is_listed, dropped_at)
    select d.*, now() from unnest(${dropped.map(({ id }) => id)}::text[], ${dropped.map(({ feed }) => feed)}::text[],
      ${dropped.map(({ facts }) => facts)}::bigint[], ${dropped.map(({ bytes }) => bytes)}::bigint[],
      ${dropped.map(({ is_listed }) => is_listed)}::boolean[]) as d`)
  await db.rows(sql`
    delete from chancery_secret.refused_dropped
    where number <= (select max(number) from chancery_secret.refused_dropped) - ${limits.droppedDeadLettersListed}`)
}

/** What was dropped within the time that refused batches are kept, the latest first. */
export const listDroppedDeadLetters = (db: Database, feed: string | undefined): Promise<DroppedBatch[]> =>
  db.rows<DroppedBatch>(sql`
    select id, feed, facts, bytes, is_listed, dropped_at from chancery_secret.refused_dropped
    where dropped_at > now() - make_interval(days => ${limits.deadLetterDays}) and ${feed === undefined ? sql`true` : sql`feed = ${feed}`}
    order by number desc limit ${limits.droppedDeadLettersListed}`)
