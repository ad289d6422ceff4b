/** The dead-letter store: rejected batches, kept until they are retried, deleted or expire, within bounds for each feed and in all. */
import {
  type DroppedBatch,
  type FactResource,
  limits,
  type RejectedBatch,
  type RejectedBatchWithContent,
} from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'
import { deadLettersLock } from '../store/locks.ts'
import { type Change, type Rejection, wildcardId } from './batch.ts'
import { covers, readFact } from './set-aside.ts'
import type { Commit, RawBatch } from './split-batches.ts'
import type { SpooledBatch } from './spool.ts'

/** The JSON of dead letters keeps the names of its first version: `refused`, `refusals`, `tries`, `overtaken_by`. */
const columns = sql`
  id, feed, first_rejected_at as first_refused_at, last_rejected_at as last_refused_at, attempts as tries, facts, bytes,
  content is not null as has_content, is_set_aside, rejections as refusals, superseded_by as overtaken_by`

/** The contract's bounds of path and reason: the names in a path are the sender's. */
const [pathMax, reasonMax] = [1_000, 2_000]

/** Rejections as they are stored. */
export const rejectionsJson = (rejections: readonly Rejection[]): string =>
  JSON.stringify(
    rejections.map(rejection => ({
      ...rejection,
      path: rejection.path.slice(0, pathMax),
      reason: rejection.reason.slice(0, reasonMax),
    })),
  )

/**
 * Stores a rejected batch, or updates its dead letter. Not where a batch of this id was applied: another one can never be applied. Nor
 * where there is no room for it.
 */
export async function storeDeadLetter(
  db: Database,
  { id, raw, commit, rejections }: { id: string; raw: RawBatch; commit: Commit; rejections: Rejection[] },
): Promise<{ isKept: boolean; dropped: DroppedDeadLetter[] }> {
  const { facts, bytes } = raw
  if (await db.first(sql`select from chancery_secret.batch where id = ${id}`))
    return { isKept: false, dropped: [] }
  const feed = commit.feed?.name ?? null
  const shortened = rejectionsJson(rejections)
  const { holds, dropped } = await makeRoom(db, {
    ids: [id],
    feed,
    recordBytes: Buffer.byteLength(shortened),
    contentBytes: raw.content === null ? 0 : bytes,
  })
  if (holds === 'nothing' || (holds === 'record' && raw.content !== null))
    dropped.push({ id, feed, facts, bytes, is_listed: holds === 'record' })
  await recordDropped(db, dropped)
  if (holds === 'nothing') {
    await deleteDeadLetter(db, id)
    return { isKept: false, dropped }
  }
  const content = holds === 'all' ? raw.content : null
  const entities = content === null ? [] : raw.entities
  await db.rows(sql`
    insert into chancery_secret.dead_letter (id, feed, first_rejected_at, last_rejected_at, is_announced, facts, bytes, content, rejections)
    values (${id}, ${feed}, now(), now(), ${commit.announce ?? true}, ${facts}, ${bytes}, ${content},
      ${shortened}::jsonb)
    on conflict (id) do update set last_rejected_at = now(), attempts = dead_letter.attempts + 1, facts = excluded.facts,
      bytes = excluded.bytes, content = excluded.content, rejections = excluded.rejections, feed = coalesce(excluded.feed, dead_letter.feed),
      is_announced = excluded.is_announced`)
  await db.rows(sql`delete from chancery_secret.dead_letter_entity where batch = ${id}`)
  await db.rows(sql`
    insert into chancery_secret.dead_letter_entity (resource, id, batch)
    select resource, id, ${id} from unnest(${entities.map(entity => entity.resource)}::text[], ${entities.map(entity => entity.id)}::text[]) as t (resource, id)`)
  return { isKept: content !== null, dropped }
}

/** Dead letters, the latest first. */
export async function listDeadLetters(
  db: Database,
  { feed, limit }: { feed?: string | undefined; limit: number },
): Promise<RejectedBatch[]> {
  const ofFeed = feed === undefined ? sql`true` : sql`feed = ${feed}`
  return db.rows<RejectedBatch>(sql`
    select ${columns} from chancery_secret.dead_letter where ${ofFeed} order by last_rejected_at desc, id limit ${limit}`)
}

export async function findDeadLetter(
  db: Database,
  id: string,
): Promise<RejectedBatchWithContent | undefined> {
  return db.first<RejectedBatchWithContent>(
    sql`select ${columns}, is_announced, content from chancery_secret.dead_letter where id = ${id}`,
  )
}

/** Returns false where there is no such dead letter. */
export async function deleteDeadLetter(db: Database, id: string): Promise<boolean> {
  return (
    (await db.first(sql`delete from chancery_secret.dead_letter where id = ${id} returning id`)) !== undefined
  )
}

export async function deleteDeadLetters(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.rows(sql`delete from chancery_secret.dead_letter where id = any(${ids})`)
}

/** Returns how many there were. */
export async function deleteDeadLettersOfFeed(db: Database, feed: string): Promise<number> {
  const deleted = await db.rows(
    sql`delete from chancery_secret.dead_letter where feed = ${feed} returning id`,
  )
  return deleted.length
}

/** Without dead letters, nothing can be superseded. */
export async function hasDeadLetters(db: Database): Promise<boolean> {
  const row = await db.first<{ is_any: boolean }>(
    sql`select exists (select from chancery_secret.dead_letter) as is_any`,
  )
  return row?.is_any ?? false
}

/**
 * Marks dead letters about entities that a later batch changes: to retry them would restore older values. A fact that was set aside, and
 * of which nothing would be left, is deleted.
 */
export async function markSuperseded(
  db: Database,
  { id: batch, retriedIds }: Pick<SpooledBatch, 'id' | 'retriedIds'>,
  resource: FactResource,
  changes: readonly Change[],
): Promise<void> {
  const keys = changes.map(change => change.key)
  const marked = await db.rows<{ id: string; content: string | null }>(sql`
    with marked as (
      update chancery_secret.dead_letter set superseded_by = ${batch}
      where superseded_by is null and id <> ${batch} and id <> all(${[...retriedIds]}) and id in (
        select t.batch from chancery_secret.dead_letter_entity t where t.resource = ${resource} and t.id = any(${[wildcardId, ...keys]}))
      returning id, content, is_set_aside)
    select id, content from marked where is_set_aside`)
  const replaced = marked.filter(({ content }) => {
    const older = readFact(content ?? '')
    return (
      older === undefined ||
      changes.some(change => change.key === older.entity?.id && covers({ statement: change }, older))
    )
  })
  await deleteDeadLetters(
    db,
    replaced.map(({ id }) => id),
  )
}

/** Deletes facts that were set aside about a resource of which a later batch lists all entities. */
export async function deleteSetAside(db: Database, resource: FactResource): Promise<void> {
  await db.rows(sql`
    delete from chancery_secret.dead_letter where is_set_aside and id in (
      select t.batch from chancery_secret.dead_letter_entity t where t.resource = ${resource})`)
}

/** The same for all entities of resources that a later batch retires. */
export async function markAllSuperseded(
  db: Database,
  batch: string,
  resources: readonly string[],
): Promise<void> {
  await db.rows(sql`
    update chancery_secret.dead_letter set superseded_by = ${batch}
    where superseded_by is null and id <> ${batch}
      and id in (select t.batch from chancery_secret.dead_letter_entity t where t.resource = any(${resources}))`)
}

export async function deleteOldDeadLetters(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_secret.dead_letter where last_rejected_at < now() - make_interval(days => ${limits.deadLetterDays})`)
}

/** Deletes the ids of batches that are too old to be sent again. The newest stays, as the time of the last batch, and so do those of feeds. */
export async function deleteOldBatchIds(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_secret.batch b
    where applied_at < now() - make_interval(days => ${limits.batchIdDays})
      and applied_at < (select max(applied_at) from chancery_secret.batch)
      and not exists (select from chancery_secret.feed f where f.last_batch = b.id)`)
}

/** Dead letters to be stored, with the size of their records and of their facts. */
interface IncomingDeadLetters {
  ids: string[]
  feed: string | null
  recordBytes: number
  contentBytes: number
}

/** The part that there is room for, and the dead letters that were dropped for them. */
interface Room {
  holds: 'all' | 'record' | 'nothing'
  dropped: DroppedDeadLetter[]
}

export type DroppedDeadLetter = Omit<DroppedBatch, 'dropped_at'>

/** The bytes of a dead letter: its facts as they were sent, and its rejections. */
const sizeOf = sql`(case when content is null then 0 else bytes end + pg_column_size(rejections))`

/** An existing feed has a share of its own. All other names, which a sender can invent, use one together. */
async function shareOf(db: Database, feed: string | null): Promise<Sql> {
  const known = await db.first(sql`select from chancery_secret.feed where name = ${feed}`)
  return known
    ? sql`feed = ${feed}`
    : sql`not exists (select from chancery_secret.feed f where f.name = dead_letter.feed)`
}

/**
 * Makes room for dead letters, in their feed and in all. Drops the expendable ones, the oldest first: records without facts, and
 * superseded batches. Batches that can still be applied stay: their sender got `is_kept`.
 */
export async function makeRoom(db: Database, incoming: IncomingDeadLetters): Promise<Room> {
  // An advisory lock: one transaction makes room at a time.
  await db.rows(sql`select pg_advisory_xact_lock(hashtext(${deadLettersLock}), 0)`)
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
    const others = sql`${share} and id <> all(${incoming.ids})`
    const wanted = incoming.recordBytes + incoming.contentBytes
    let used = await usedBy(db, others)
    const count = incoming.ids.length
    if (used.count + count > countMax || used.bytes + wanted > bytesMax) {
      const excess = { count: used.count + count - countMax, bytes: used.bytes + wanted - bytesMax }
      dropped.push(...(await dropExpendable(db, others, excess)))
      used = await usedBy(db, others)
    }
    if (used.count + count > countMax || used.bytes + incoming.recordBytes > bytesMax) holds = 'nothing'
    else if (holds === 'all' && used.bytes + wanted > bytesMax) holds = 'record'
  }
  return { holds, dropped }
}

async function usedBy(db: Database, share: Sql): Promise<{ count: number; bytes: number }> {
  const row = await db.first<{ count: number; bytes: number }>(sql`
    select count(*) as count, coalesce(sum(${sizeOf}), 0)::bigint as bytes from chancery_secret.dead_letter where ${share}`)
  return row ?? { count: 0, bytes: 0 }
}

/** Drops expendable dead letters until this number and these bytes are free. */
const dropExpendable = (db: Database, share: Sql, { count, bytes }: { count: number; bytes: number }) =>
  db.rows<DroppedDeadLetter>(sql`
    delete from chancery_secret.dead_letter where id in (
      select id from (
        select id, row_number() over (order by content is not null, last_rejected_at, id) as place,
          sum(${sizeOf}) over (order by content is null, last_rejected_at, id) - ${sizeOf} as freed_before
        from chancery_secret.dead_letter
        where ${share} and (content is null or superseded_by is not null)) as expendable
      where place <= ${count} or freed_before < ${bytes})
    returning id, feed, facts, bytes, false as is_listed`)

/** Records the latest dropped dead letters, for the list. */
export async function recordDropped(db: Database, dropped: readonly DroppedDeadLetter[]): Promise<void> {
  if (dropped.length === 0) return
  await db.rows(sql`
    insert into chancery_secret.dropped_dead_letter (id, feed, facts, bytes, is_listed, dropped_at)
    select d.*, now() from unnest(${dropped.map(({ id }) => id)}::text[], ${dropped.map(({ feed }) => feed)}::text[],
      ${dropped.map(({ facts }) => facts)}::bigint[], ${dropped.map(({ bytes }) => bytes)}::bigint[],
      ${dropped.map(({ is_listed }) => is_listed)}::boolean[]) as d`)
  await db.rows(sql`
    delete from chancery_secret.dropped_dead_letter
    where number <= (select max(number) from chancery_secret.dropped_dead_letter) - ${limits.droppedDeadLettersListed}`)
}

/** Dead letters that were dropped within the retention time, the latest first. */
export const listDroppedDeadLetters = (db: Database, feed: string | undefined): Promise<DroppedBatch[]> =>
  db.rows<DroppedBatch>(sql`
    select id, feed, facts, bytes, is_listed, dropped_at from chancery_secret.dropped_dead_letter
    where dropped_at > now() - make_interval(days => ${limits.deadLetterDays}) and ${feed === undefined ? sql`true` : sql`feed = ${feed}`}
    order by number desc limit ${limits.droppedDeadLettersListed}`)
