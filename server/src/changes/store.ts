/**
 * The change log: the last change of each listed item. Triggers of the world's tables write it (migration 0049), each change of an item
 * replaces the one before. Numbers have gaps, but a client that reads on misses no item.
 */
import {
  listedResources,
  type operations,
  type PublicOf,
  type ResourceOf,
  type ValuesFor,
} from '@chancery/contract'
import { type Database, type DatabasePool, type Sql, sql } from '../store/database.ts'
import { ingestLock } from '../store/locks.ts'
import { offsetOf, type Page } from '../store/paging.ts'

export type Change = PublicOf<ResourceOf<'change'>>

/** Numbers that are counted as one; also in migration 0049. */
const blockLength = 4_096
const blockOf = (seq: Sql) => sql`(${seq}) / ${blockLength}::bigint`

interface Ends {
  newest: number
  floor: number
}

/** The change after which a client reads on; `cursor_expired` if later ones are no longer stored, or it does not exist yet. */
export async function findChangeStart(
  db: Database,
  after: number | undefined,
): Promise<{ after: number; newest: number } | 'cursor_expired'> {
  const ends = await db.first<Ends>(sql`
    select change_seq as newest, change_floor as floor from chancery_world.pulse`)
  if (!ends) throw new Error('chancery_world.pulse has no row')
  const { newest, floor } = ends
  if (after !== undefined && (after < floor || after > newest)) return 'cursor_expired'
  return { after: after ?? floor, newest }
}

type Filter = ValuesFor<typeof operations.changesList>

/** A page of the changes after a number, up to the horizon. */
export async function listChanges(
  db: Database,
  { after, resource = [...listedResources], ...request }: Filter,
  horizon: number | undefined,
): Promise<Page<Change> | 'cursor_expired'> {
  const start = await findChangeStart(db, after)
  if (start === 'cursor_expired') return start
  if (horizon === undefined || horizon <= start.after) return { items: [], total: 0 }
  const rows = await db.rows<Change & { total: number; seq: number | null }>(
    pageOf(
      { after: start.after, last: horizon, resource },
      { offset: offsetOf(request), limit: request.limit },
    ),
  )
  const total = rows[0]?.total ?? 0
  return { items: rows.flatMap(({ total: _, ...change }) => (change.seq === null ? [] : [change])), total }
}

interface Part {
  after: number
  last: number
  resource: string[]
}

/**
 * One statement, so that count and items are of the same moment. Whole blocks are counted by their counters; a deep page begins at the
 * block in which it starts.
 */
function pageOf({ after, last, resource }: Part, { offset, limit }: { offset: number; limit: number }): Sql {
  const isChosen = sql`resource = any(${resource})`
  const firstBlock = blockOf(sql`${after}::bigint`)
  const lastBlock = blockOf(sql`${last}::bigint`)
  return sql`
    with skipped as (
      select count(*) as changes from chancery_world.change
      where ${isChosen} and seq >= ${firstBlock} * ${blockLength} and seq <= ${after}
    ), blocks as materialized (
      select block, sum(changes) as changes, sum(sum(changes)) over (order by block) as through
      from chancery_world.change_block where ${isChosen} and block between ${firstBlock} and ${lastBlock} group by block
    ), unlisted as (
      select count(*) as changes from chancery_world.change
      where ${isChosen} and seq > ${last} and seq < (${lastBlock} + 1) * ${blockLength}
    ), counted as (
      select coalesce((select max(through) from blocks), 0) - skipped.changes - unlisted.changes as total from skipped, unlisted
    ), start as materialized (
      select b.block, s.changes + ${offset}::bigint - (b.through - b.changes) as skipped
      from blocks b, skipped s where b.through > s.changes + ${offset}::bigint order by b.block limit 1
    )
    select counted.total, item.* from counted left join (
      select c.seq, c.resource, c.id, case when c.is_deleted then 'deleted' else 'put' end as change
      from unnest(${resource}::text[]) as r (name), lateral (
        select * from chancery_world.change c
        where c.resource = r.name and c.seq >= (select block from start) * ${blockLength} and c.seq <= ${last}
        order by c.seq limit (select skipped from start) + ${limit}::bigint
      ) c
      order by c.seq offset (select skipped from start) limit ${limit}
    ) item on true order by item.seq`
}

/** Changes after a number, up to another, oldest first. */
export async function readChanges(
  db: Database,
  { after, last }: { after: number; last: number },
  limit: number,
): Promise<Change[]> {
  return db.rows<Change>(sql`
    select c.seq, c.resource, c.id, case when c.is_deleted then 'deleted' else 'put' end as change
    from unnest(${[...listedResources]}::text[]) as r (name), lateral (
      select * from chancery_world.change c
      where c.resource = r.name and c.seq > ${after} and c.seq <= ${last} order by c.seq limit ${limit}
    ) c
    order by c.seq limit ${limit}`)
}

/** Changes that are deleted in one transaction. Batches wait for it. */
const deletedAtOnce = 5_000

/** Deletes changes that are older than `keepDays`, in steps. Clients that were away for longer start again from a snapshot. */
export async function deleteOldChanges(pool: DatabasePool, keepDays: number): Promise<void> {
  await pool.rows(sql`
    insert into chancery_world.change_day (day, seq) select current_date, change_seq from chancery_world.pulse on conflict do nothing`)
  const locked = <T>(work: (db: Database) => Promise<T>) =>
    pool.transaction(async db => {
      await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
      return work(db)
    })
  await locked(db =>
    db.rows(sql`
      with oldest as (
        delete from chancery_world.change_day where day <= current_date - ${keepDays}::int returning seq
      )
      update chancery_world.pulse set change_floor = greatest(change_floor, (select max(seq) from oldest))`),
  )
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce; ) {
    deleted = await locked(async db => {
      const rows = await db.rows<{ resource: string; changes: number }>(sql`
        with old as (
          delete from chancery_world.change where (resource, seq) in (
            select c.resource, c.seq
            from unnest(${[...listedResources]}::text[]) as r (name), lateral (
              select resource, seq from chancery_world.change
              where resource = r.name and seq <= (select change_floor from chancery_world.pulse) order by seq limit ${deletedAtOnce}
            ) c limit ${deletedAtOnce})
          returning resource, seq
        ), by_resource as (
          select resource, array_agg(seq) as seqs from old group by resource
        )
        select resource, cardinality(seqs) as changes, chancery_world.count_changes(resource, seqs, -1) from by_resource`)
      return rows.reduce((sum, { changes }) => sum + changes, 0)
    })
  }
  await locked(db =>
    db.rows(sql`
      delete from chancery_world.change_block
      where changes = 0 and block < (select ${blockOf(sql`change_seq`)} from chancery_world.pulse)`),
  )
}

/** Makes all clients start again from a snapshot: what they have may differ from the world without a logged change. */
export async function expireChanges(db: Database): Promise<void> {
  await db.rows(sql`
    update chancery_world.pulse set change_seq = change_seq + 1, change_floor = change_seq + 1`)
}
