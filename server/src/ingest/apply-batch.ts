import {
  type Contract,
  deletesMax,
  type FactResource,
  type FeedPosition,
  factResources,
  limits,
  snapshotGapsReason,
} from '@chancery/contract'
import { createEventCollector, type EventCollector } from '../events/event-collector.ts'
import { emitGameEvents } from '../events/game-events.ts'
import { applyRedactions } from '../redaction/apply-redactions.ts'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { appliers } from '../resources/appliers.ts'
import { updateConflictCounters } from '../resources/conflicts/counters.ts'
import { resetWorld } from '../resources/eras/reset.ts'
import { indexNewNations } from '../resources/nations/ranking-index.ts'
import {
  addWarsOfAlliances,
  addWarsOfNations,
  recountBattles,
  recountWarsOfAlliances,
  recountWarsOfNations,
} from '../resources/wars/counters.ts'
import { type Database, raw, sql } from '../store/database.ts'
import { ingestLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'
import {
  type Batch,
  BatchRejectedError,
  type Change,
  chunksOf,
  partsOf,
  type Rejection,
  reject,
} from './batch.ts'
import { continueNumbers } from './continue-numbers.ts'
import {
  deleteDeadLetter,
  deleteSetAside,
  hasDeadLetters,
  markAllSuperseded,
  markSuperseded,
} from './dead-letters.ts'
import { factTable } from './entity-store.ts'
import type { SnapshotWithKeys, SpooledBatch } from './spool.ts'
import { addReference, type References, unknownReferences } from './tombstones.ts'

/** The result of a batch that was not rejected. `redactions`: for the ledger outside the database. */
export type Applied =
  | {
      status: 'applied' | 'duplicate'
      facts: number
      events: number
      last_seq: number
      redactions: LedgerEntry[]
    }
  | { status: 'conflict' | 'overtaken' }

/**
 * Applies a batch inside a transaction of its own: all of it or nothing, and once, however often it is sent.
 * @throws {BatchRejectedError} where a fact contradicts the world. Database errors pass through.
 */
export async function applyBatch(db: Database, contract: Contract, spooled: SpooledBatch): Promise<Applied> {
  await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
  const known = await db.first<{ is_same: boolean; facts: number; events: number; last_seq: number }>(sql`
    select content_hash = ${spooled.contentHash} as is_same, facts, events, last_seq
    from chancery_secret.batch where id = ${spooled.id}`)
  if (known) {
    const { is_same, ...counts } = known
    return is_same ? { status: 'duplicate', ...counts, redactions: [] } : { status: 'conflict' }
  }
  if (spooled.feed && !(await isFeedCurrent(db, spooled.feed))) return { status: 'overtaken' }

  const { seq: base, logged_at: loggedAt } = await startOfBatch(db)
  const events = createEventCollector(db, contract, loggedAt)
  const batch = createBatch(db, contract, { loggedAt, events, isEveryPlaceNeeded: spooled.isSettingAside })
  const maySupersede = await hasDeadLetters(db)
  if (spooled.reset) {
    const retired = await resetWorld(batch, spooled.reset)
    await batch.checkReferences()
    if (maySupersede) await markAllSuperseded(db, spooled.id, retired)
  }
  for (const resource of factResources) {
    const { apply, cascades = [], history } = appliers[resource]
    const snapshot = spooled.snapshot(resource)
    const absent = snapshot ? await snapshotDeletions(batch, snapshot) : []
    if (snapshot && maySupersede && !history) await deleteSetAside(db, resource)
    for await (const deletes of concat(chunksOf(absent), spooled.deletes(resource))) {
      for (const cascade of cascades) await cascade(batch, deletes)
    }
    for await (const changes of concat(chunksOf(absent), spooled.changes(resource))) {
      for (const part of partsOf(changes)) {
        await apply(batch, part)
        await events.flushIfLarge()
      }
      if (maySupersede) await markSuperseded(db, spooled, resource, changes)
      // A fact may refer to one of its own resource in a later chunk.
      await batch.checkReferences({ except: resource })
    }
  }
  await batch.checkReferences()
  for await (const gameEvents of spooled.events()) {
    await emitGameEvents(batch, gameEvents)
    await events.flushIfLarge()
    await batch.checkReferences()
  }
  await indexNewNations(batch)
  const redaction = await applyRedactions(batch, spooled)
  await batch.checkReferences()
  await updateCounters(batch)

  const eventCount = await events.append(base, spooled.isAnnounced)
  const lastSeq = base + eventCount
  await redaction.finish()
  await db.rows(sql`
    insert into chancery_secret.batch (id, content_hash, applied_at, facts, events, last_seq)
    values (${spooled.id}, ${spooled.contentHash}, ${loggedAt}, ${spooled.factCount}, ${eventCount}, ${lastSeq})`)
  if (spooled.feed) await advanceFeed(db, spooled.feed.name, spooled.id, loggedAt)
  if (maySupersede) await deleteDeadLetter(db, spooled.id)
  if (batch.hasWorldChanged() || eventCount > 0) {
    await db.rows(sql`
      update chancery_world.pulse set seq = ${lastSeq}, world_version = world_version + 1, world_changed_at = ${loggedAt},
        unranked_since = coalesce(unranked_since, clock_timestamp())`)
    await db.rows(notifyPulse)
  }
  const { entries } = redaction
  return {
    status: 'applied',
    facts: spooled.factCount,
    events: eventCount,
    last_seq: lastSeq,
    redactions: entries,
  }
}

async function* concat<T>(first: Iterable<T>, second: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first
  yield* second
}

interface BatchStart {
  seq: number
  logged_at: string
  has_restarted: boolean
}

/** The last number of the log, and the time of this batch in it. That time never decreases, also when the clock is set back. */
async function startOfBatch(db: Database): Promise<BatchStart> {
  const row = await db.first<BatchStart>(sql`
    select seq, greatest(date_trunc('milliseconds', clock_timestamp()),
      (select max(logged_at) from chancery_world.event_log_span)) as logged_at,
      server_started_at is distinct from pg_postmaster_start_time() as has_restarted
    from chancery_world.pulse`)
  if (!row) throw new Error('chancery_world.pulse has no row')
  if (!row.has_restarted) return row
  await continueNumbers(db)
  return startOfBatch(db)
}

/** Updates the counters in the same transaction. Conflicts come last: they add up their wars. */
async function updateCounters(batch: Batch): Promise<void> {
  await recountBattles(batch)
  await addWarsOfNations(batch)
  await recountWarsOfNations(batch)
  await addWarsOfAlliances(batch)
  await recountWarsOfAlliances(batch)
  await updateConflictCounters(batch)
}

/** A batch with what only `applyBatch` may do. */
interface RunningBatch extends Batch {
  hasWorldChanged(): boolean
  /** @throws {BatchRejectedError} where the facts so far refer to entities that are unknown. `except`: a resource that is checked later. */
  checkReferences(options?: { except?: FactResource }): Promise<void>
}

function createBatch(
  db: Database,
  contract: Contract,
  {
    loggedAt,
    events,
    isEveryPlaceNeeded,
  }: { loggedAt: string; events: EventCollector; isEveryPlaceNeeded: boolean },
): RunningBatch {
  let hasChanged = false
  const known: References = new Map()
  const existing: References = new Map()

  return {
    db,
    contract,
    loggedAt,
    pending: {
      hasUnindexedNations: false,
      warsWithChangedBattles: new Set(),
      recreatedNations: new Set(),
      nationWarDeltas: new Map(),
      recreatedAlliances: new Set(),
      allianceWarDeltas: new Map(),
      conflictWars: new Set(),
      conflictSides: new Set(),
      newConflicts: new Set(),
    },
    emit: events.emit,
    emitFromGame: events.add,
    markWorldChanged() {
      hasChanged = true
    },
    hasWorldChanged: () => hasChanged,
    requireKnown: (resource, id, line, path) =>
      addReference(known, resource, id, { line, path }, isEveryPlaceNeeded),
    requireExisting: (resource, id, line, path) =>
      addReference(existing, resource, id, { line, path }, isEveryPlaceNeeded),
    async checkReferences({ except } = {}) {
      const rejections: Rejection[] = []
      for (const [references, mayBeDeleted] of [
        [known, true],
        [existing, false],
      ] as const) {
        const later = except && references.get(except)
        if (except) references.delete(except)
        rejections.push(...(await unknownReferences(db, references, { mayBeDeleted })))
        references.clear()
        if (except && later) references.set(except, later)
      }
      if (rejections.length > 0)
        throw new BatchRejectedError(rejections.sort((one, other) => one.line - other.line))
    },
    async nationNames(ids) {
      const rows = await db.rows<{ id: string; name: string }>(sql`
        select id, nation_name as name from chancery_world.nation where id = any(${[...new Set(ids)]})
        union all
        select id, name from chancery_world.tombstone where resource = 'nation' and id = any(${[...new Set(ids)]})`)
      return new Map(rows.map(row => [row.id, row.name]))
    },
  }
}

/**
 * Deletions of the entities that a snapshot leaves out. Computed when its resource is applied: what was deleted by a cascade until then
 * does not count.
 * @throws {BatchRejectedError} where it leaves out so many that it is probably a mistake.
 */
async function snapshotDeletions({ db }: Batch, snapshot: SnapshotWithKeys): Promise<Change[]> {
  const { line, resource, keys, except, allowsDeletes, at } = snapshot
  const { table, key } = factTable(resource)
  const [tableName, column] = [raw(table), raw(key)]
  const { history: isPast = sql`false` } = appliers[resource]
  const counted = await db.first<{ total: number }>(
    sql`select count(*) as total from ${tableName} t where not (${isPast})`,
  )
  const total = counted?.total ?? 0
  const absent = await db.rows<{ key: string }>(sql`
    select ${column} as key from ${tableName} t
    where not exists (select from unnest(${[...keys, ...except]}::text[]) as said (key) where said.key = t.${column})
      and not (${isPast})
    order by 1`)
  if (!allowsDeletes && absent.length > deletesMax(resource, total)) {
    reject(line, '/resource', snapshotGapsReason(resource, { missing: absent.length, total }))
  }
  return absent.map(row => ({ line, op: 'delete', key: row.key, data: {}, at }))
}

/** A feed and the batch of it that was applied last. */
interface Feed {
  name: string
  last_batch: string | null
  applied_at: string | null
}

export async function findFeed(db: Database, name: string): Promise<Feed> {
  const known = await db.first<Feed>(
    sql`select name, last_batch, applied_at from chancery_secret.feed where name = ${name}`,
  )
  return known ?? { name, last_batch: null, applied_at: null }
}

/**
 * Whether the last batch of a feed is the one that the new batch names. The ingest lock is held, so it does not change.
 * @throws {BatchRejectedError} where a new feed would exceed their number.
 */
async function isFeedCurrent(db: Database, { name, after }: FeedPosition): Promise<boolean> {
  const { last_batch } = await findFeed(db, name)
  if (last_batch === null && after === null) {
    const feeds = await db.first<{ count: number }>(sql`select count(*) as count from chancery_secret.feed`)
    if (feeds && feeds.count >= limits.feeds)
      reject(0, '/feed/name', `the limit of ${limits.feeds} feeds is reached: use an existing feed name`)
  }
  return last_batch === after
}

async function advanceFeed(db: Database, name: string, batch: string, loggedAt: string): Promise<void> {
  await db.rows(sql`
    insert into chancery_secret.feed (name, last_batch, applied_at) values (${name}, ${batch}, ${loggedAt})
    on conflict (name) do update set last_batch = excluded.last_batch, applied_at = excluded.applied_at`)
}
