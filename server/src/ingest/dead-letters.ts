import {
  type DroppedBatch,
  limits,
  type RefusedBatch,
  type RefusedBatchWithContent,
} from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'
import type { Change, Rejection } from './batch.ts'
import { type Commit, type SentBatch, wildcardId } from './split-batches.ts'

const columns = sql`
  id, feed, first_refused_at, last_refused_at, tries, facts, bytes, content is not null as has_content, refusals, overtaken_by`

/** The longest path and reason that the contract has: a sender chooses the names in a path. */
const [pathMax, reasonMax] = [1_000, 2_000]

/**
 * Keeps a refused batch for the operator; of one that was refused before, what became of it this time. Not where a batch of this
 * id was applied: another one can never be, so there is nothing to mend. Nor where there is no room for it.
 */
export async function storeDeadLetter(
  db: Database,
  { id, sent, commit, rejections }: { id: string; sent: SentBatch; commit: Commit; rejections: Rejection[] },
): Promise<{ isKept: boolean; dropped: DroppedDeadLetter[] }> {
  const { facts, bytes } = sent
  if (await db.first(sql`select from chancery_secret.batch where id = ${id}`))
    return { isKept: false, dropped: [] }
  const feed = commit.feed?.name ?? null
  const shortened = JSON.stringify(
    rejections.map(rejection => ({
      ...rejection,
      path: rejection.path.slice(0, pathMax),
      reason: rejection.reason.slice(0, reasonMax),
    })),
  )
  const { holds, dropped } = await makeRoom(db, {
    id,
    feed,
    recordBytes: Buffer.byteLength(shortened),
    contentBytes: sent.content === null ? 0 : bytes,
  })
  if (holds === 'nothing' || (holds === 'record' && sent.content !== null))
    dropped.push({ id, feed, facts, bytes, is_listed: holds === 'record' })
  await recordDropped(db, dropped)
  if (holds === 'nothing') {
    await deleteDeadLetter(db, id)
    return { isKept: false, dropped }
  }
  const content = holds === 'all' ? sent.content : null
  const things = content === null ? [] : sent.entities
  await db.rows(sql`
    insert into chancery_secret.refused_batch (id, feed, first_refused_at, last_refused_at, is_announced, facts, bytes, content, refusals)
    values (${id}, ${feed}, now(), now(), ${commit.announce ?? true}, ${facts}, ${bytes}, ${content},
      ${shortened}::jsonb)
    on conflict (id) do update set last_refused_at = now(), tries = refused_batch.tries + 1, facts = excluded.facts,
      bytes = excluded.bytes, content = excluded.content, refusals = excluded.refusals, feed = coalesce(excluded.feed, refused_batch.feed),
      is_announced = excluded.is_announced`)
  await db.rows(sql`delete from chancery_secret.refused_thing where batch = ${id}`)
  await db.rows(sql`
    insert into chancery_secret.refused_thing (resource, id, batch)
    select resource, id, ${id} from unnest(${things.map(thing => thing.resource)}::text[], ${things.map(thing => thing.id)}::text[]) as t (resource, id)`)
  return { isKept: content !== null, dropped }
}

/** Refused batches, the latest first. */
export async function listDeadLetters(
  db: Database,
  { feed, limit }: { feed?: string | undefined; limit: number },
): Promise<RefusedBatch[]> {
  const ofFeed = feed === undefined ? sql`true` : sql`feed = ${feed}`
  return db.rows<RefusedBatch>(sql`
    select ${columns} from chancery_secret.refused_batch where ${ofFeed} order by last_refused_at desc, id limit ${limit}`)
}

export async function findDeadLetter(db: Database, id: string): Promise<RefusedBatchWithContent | undefined> {
  return db.first<RefusedBatchWithContent>(
    sql`select ${columns}, is_announced, content from chancery_secret.refused_batch where id = ${id}`,
  )
}

/** Forgets a refused batch. False where there is none. */
export async function deleteDeadLetter(db: Database, id: string): Promise<boolean> {
  return (
    (await db.first(sql`delete from chancery_secret.refused_batch where id = ${id} returning id`)) !==
    undefined
  )
}

/** Whether any refused batch is kept: else nothing can be overtaken. */
export async function hasDeadLetters(db: Database): Promise<boolean> {
  const row = await db.first<{ is_any: boolean }>(
    sql`select exists (select from chancery_secret.refused_batch) as is_any`,
  )
  return row?.is_any ?? false
}

/** Marks the refused batches that are about things which a later batch changes: sent as they are, they would turn back time. */
export async function markSuperseded(
  db: Database,
  batch: string,
  resource: string,
  changes: readonly Change[],
): Promise<void> {
  await db.rows(sql`
    update chancery_secret.refused_batch set overtaken_by = ${batch}
    where overtaken_by is null and id <> ${batch} and id in (
      select t.batch from chancery_secret.refused_thing t where t.resource = ${resource} and t.id = any(${[wildcardId, ...changes.map(change => change.key)]}))`)
}

/** The same for all things of resources that a later batch retires. */
export async function markAllSuperseded(
  db: Database,
  batch: string,
  resources: readonly string[],
): Promise<void> {
  await db.rows(sql`
    update chancery_secret.refused_batch set overtaken_by = ${batch}
    where overtaken_by is null and id <> ${batch}
      and id in (select t.batch from chancery_secret.refused_thing t where t.resource = any(${resources}))`)
}

/** Forgets what is older than it is kept. */
export async function deleteOldDeadLetters(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_secret.refused_batch where last_refused_at < now() - make_interval(days => ${limits.deadLetterDays})`)
}

/** Forgets the ids of batches that nobody will send again. The last one stays: it says when the game last spoke; so do those of feeds. */
export async function deleteOldBatchIds(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_secret.batch b
    where applied_at < now() - make_interval(days => ${limits.batchIdDays})
      and applied_at < (select max(applied_at) from chancery_secret.batch)
      and not exists (select from chancery_secret.feed f where f.last_batch = b.id)`)
}

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
