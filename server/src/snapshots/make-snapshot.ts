import { setTimeout as sleep } from 'node:timers/promises'
import { type Contract, type ListedResource, listedResources, primaryKeys } from '@chancery/contract'
import { createItemSerializer, type SerializeItem } from '../disclosure/disclosure.ts'
import { readEvents } from '../events/store.ts'
import { type Database, type DatabasePool, raw, sql } from '../store/database.ts'
import type { ReadContext } from '../store/fact-columns.ts'
import { ingestLock, roundLock, snapshotLock } from '../store/locks.ts'
import { type StoredFile, type StoredSnapshot, storeFile } from './files.ts'
import { createItemReaders } from './items.ts'

export interface SnapshotContext {
  contract: Contract
  /** Acts as the role of public reads, without a statement timeout; two connections. */
  reads: DatabasePool
  /** Acts as the role of ingestion; two connections. */
  writes: DatabasePool
  signal?: AbortSignal | undefined
  /** How long it waits for a ranking round. Default: two minutes. The end of an era waits for the snapshot before it. */
  lockTimeoutMs?: number | undefined
}

/** Items that are read and written at a time: a few milliseconds of work. */
const itemsAtOnce = 250

/** In this order. Nations and alliances first: ranking rounds wait until they are read. */
const rankedResources = ['nation', 'alliance'] as const satisfies ListedResource[]
const otherResources = listedResources.filter(name => !(rankedResources as readonly string[]).includes(name))

/**
 * Makes a snapshot and stores it. All of its files are of one moment: they are read in one snapshot of the database, whose numbers of
 * changes and events the manifest has. Half of the time is left to requests. Undefined if another process is making one, if the snapshot is not due (`isDue`
 * returns false, called when this process is the only one), or if snapshots were withdrawn meanwhile.
 */
export async function makeSnapshot(
  context: SnapshotContext,
  isDue: (db: Database) => Promise<StoredSnapshot['reason'] | undefined>,
): Promise<StoredSnapshot | undefined> {
  const { reads, writes } = context
  return writes.transaction(async db => {
    await keepOpen(db)
    const lock = await db.first<{ is_ours: boolean }>(
      sql`select pg_try_advisory_xact_lock(${snapshotLock}) as is_ours`,
    )
    const reason = lock?.is_ours ? await isDue(db) : undefined
    if (reason === undefined) return undefined
    return reads.transaction(others => writeSnapshot(context, { db, others, reason }))
  })
}

/** The state of the world in the snapshot of the database. */
interface Moment {
  created_at: string
  change_seq: number
  event_seq: number
  /** The first event that is kept. */
  first_seq: number
  snapshot_version: number
  exported: string
}

async function writeSnapshot(
  { contract, reads, writes, signal, lockTimeoutMs = lockTimeoutMsDefault }: SnapshotContext,
  { db, others, reason }: { db: Database; others: Database; reason: StoredSnapshot['reason'] },
): Promise<StoredSnapshot | undefined> {
  const startedAt = performance.now()
  const files: StoredFile[] = []
  let moment: Moment | undefined
  const store = async (from: Database, resources: readonly ListedResource[], id: string) => {
    for (const resource of resources)
      files.push(await storeFile(db, { id, resource }, linesOf(from, contract, resource, signal)))
  }
  // A round that swaps its tables would wait for these reads, and block others meanwhile. It is skipped instead.
  await writes.transaction(async lock => {
    await keepOpen(lock)
    await lockWithin(lock, roundLock, lockTimeoutMs)
    moment = await beginMoment(others)
    const { exported } = moment
    await reads.transaction(async ranked => {
      await ranked.rows(raw('set transaction isolation level repeatable read, read only'))
      await ranked.rows(raw(`set transaction snapshot '${exported}'`))
      await keepOpen(ranked)
      await store(ranked, rankedResources, idOf(moment as Moment))
    })
  })
  if (!moment) throw new Error('a transaction returned before its work')
  const { created_at, change_seq, event_seq, first_seq, snapshot_version } = moment
  const id = idOf(moment)
  await store(others, otherResources, id)
  const previous = await others.first<{ event_seq: number }>(
    sql`select event_seq from chancery_world.snapshot order by created_at desc limit 1`,
  )
  const after = Math.max(previous?.event_seq ?? 0, first_seq - 1)
  const events = eventLines(others, contract, { after, last: event_seq }, signal)
  files.push(await storeFile(db, { id, resource: 'event' }, events))

  // Whatever withdraws snapshots holds this lock: it comes before, and this snapshot is dropped, or later, and withdraws it.
  await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
  const pauseSeconds = ((performance.now() - startedAt) / 1_000) * pausePerSnapshot
  const pulse = await db.first<{ snapshot_version: number }>(sql`
    update chancery_world.pulse set snapshots_paused_until = clock_timestamp() + make_interval(secs => ${pauseSeconds})
    returning snapshot_version`)
  if (pulse?.snapshot_version !== snapshot_version) {
    await db.rows(sql`delete from chancery_world.snapshot_chunk where snapshot_id = ${id}`)
    return undefined
  }
  await db.rows(sql`
    insert into chancery_world.snapshot (id, created_at, reason, change_seq, event_seq, files)
    values (${id}, ${created_at}, ${reason}, ${change_seq}, ${event_seq}, ${JSON.stringify(files)})`)
  return { id, created_at, reason, change_seq, event_seq, files }
}

export const lockTimeoutMsDefault = 120_000

/** Takes an advisory lock until the end of the transaction. Rejects if it is held for longer. */
export async function lockWithin(db: Database, lock: number, timeoutMs: number): Promise<void> {
  await db.rows(sql`select set_config('lock_timeout', ${`${timeoutMs}ms`}, true)`)
  await db.rows(sql`select pg_advisory_xact_lock(${lock})`)
}

/** A snapshot uses at most a tenth of the time. */
const pausePerSnapshot = 9

const keepOpen = (db: Database) =>
  db.rows(sql`select set_config('idle_in_transaction_session_timeout', '0', true)`)

async function beginMoment(db: Database): Promise<Moment> {
  await db.rows(raw('set transaction isolation level repeatable read, read only'))
  const moment = await db.first<Moment>(sql`
    select date_trunc('milliseconds', clock_timestamp()) as created_at, change_seq, seq as event_seq, first_seq, snapshot_version,
      pg_export_snapshot() as exported
    from chancery_world.pulse`)
  if (!moment) throw new Error('chancery_world.pulse has no row')
  await keepOpen(db)
  return moment
}

/** `20261125T000012.345Z` */
const idOf = ({ created_at }: Moment) => created_at.replaceAll(/[-:]/g, '')

interface Part {
  text: string
  rows: number
}

/** The items of a resource by key, a line each. */
async function* linesOf(
  db: Database,
  contract: Contract,
  resource: ListedResource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Part> {
  const pools = { public: db, lookups: db, search: db, owner: db }
  const read = createItemReaders({ contract, pools } satisfies ReadContext)[resource] as (
    ids: string[],
  ) => Promise<never[]>
  const write = createItemSerializer(contract, resource) as SerializeItem<never>
  const table = raw(`chancery_world.${resource}`)
  const key = raw(primaryKeys[resource])
  yield* inParts(signal, '', async after => {
    const rows = await db.rows<{ key: string }>(
      sql`select ${key} as key from ${table} where ${key} > ${after} order by ${key} limit ${itemsAtOnce}`,
    )
    const items = rows.length > 0 ? await read(rows.map(row => row.key)) : []
    return { lines: items.map(write), next: rows.at(-1)?.key }
  })
}

/** The events of a span of the log, a line each. */
async function* eventLines(
  db: Database,
  contract: Contract,
  { after, last }: { after: number; last: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<Part> {
  const write = createItemSerializer(contract, 'event')
  yield* inParts(signal, after, async position => {
    const events = await readEvents(db, { first: position + 1, last }, itemsAtOnce)
    return { lines: events.map(write), next: events.at(-1)?.seq }
  })
}

/** Reads parts one after another, and pauses after each for as long as it took. */
async function* inParts<P>(
  signal: AbortSignal | undefined,
  first: P,
  read: (after: P) => Promise<{ lines: string[]; next: P | undefined }>,
): AsyncGenerator<Part> {
  for (let position: P | undefined = first; position !== undefined; ) {
    const startedAt = performance.now()
    const { lines, next }: { lines: string[]; next: P | undefined } = await read(position)
    if (lines.length > 0) yield { text: lines.map(line => `${line}\n`).join(''), rows: lines.length }
    position = next
    signal?.throwIfAborted()
    await sleep(performance.now() - startedAt)
  }
}
