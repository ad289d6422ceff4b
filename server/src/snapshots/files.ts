import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { SnapshotManifest } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'

/** Bytes of a file in one row: what a slow client holds in memory. */
export const chunkBytes = 65_536

export interface StoredFile {
  resource: string
  bytes: number
  sha256: string
  rows: number
}

export interface StoredSnapshot
  extends Pick<SnapshotManifest, 'id' | 'created_at' | 'reason' | 'change_seq' | 'event_seq'> {
  files: StoredFile[]
}

/** Compresses lines and stores them in chunks. */
export async function storeFile(
  db: Database,
  { id, resource }: { id: string; resource: string },
  lines: AsyncIterable<{ text: string; rows: number }>,
): Promise<StoredFile> {
  const hash = createHash('sha256')
  let rows = 0
  let bytes = 0
  let number = 0
  async function* texts() {
    for await (const part of lines) {
      rows += part.rows
      yield part.text
    }
  }
  const insert = async (data: Buffer) => {
    hash.update(data)
    bytes += data.length
    await db.rows(sql`
      insert into chancery_world.snapshot_chunk (snapshot_id, resource, number, data)
      values (${id}, ${resource}, ${number}, ${data})`)
    number += 1
  }
  const source = Readable.from(texts(), { objectMode: false })
  const gzip = createGzip()
  source.on('error', error => gzip.destroy(error))
  let pending: Buffer[] = []
  let size = 0
  try {
    for await (const part of source.pipe(gzip) as AsyncIterable<Buffer>) {
      pending.push(part)
      size += part.length
      if (size < chunkBytes) continue
      const all = Buffer.concat(pending)
      const whole = all.length - (all.length % chunkBytes)
      for (let start = 0; start < whole; start += chunkBytes)
        await insert(all.subarray(start, start + chunkBytes))
      pending = [all.subarray(whole)]
      size = all.length - whole
    }
  } finally {
    source.destroy()
  }
  if (size > 0) await insert(Buffer.concat(pending))
  return { resource, bytes, sha256: hash.digest('hex'), rows }
}

/** The chunk of a file; undefined if the snapshot is withdrawn. */
export async function readChunk(
  db: Database,
  { id, resource, number }: { id: string; resource: string; number: number },
): Promise<Buffer | undefined> {
  const chunk = await db.first<{ data: Buffer }>(sql`
    select c.data from chancery_world.snapshot_chunk c join chancery_world.snapshot s on s.id = c.snapshot_id
    where c.snapshot_id = ${id} and c.resource = ${resource} and c.number = ${number}`)
  return chunk?.data
}

const columns = sql`id, created_at, reason, change_seq, event_seq, files`

export async function findSnapshot(db: Database, id: string): Promise<StoredSnapshot | undefined> {
  return db.first<StoredSnapshot>(sql`select ${columns} from chancery_world.snapshot where id = ${id}`)
}

/** All snapshots, newest first. */
export async function listSnapshots(db: Database): Promise<StoredSnapshot[]> {
  return db.rows<StoredSnapshot>(
    sql`select ${columns} from chancery_world.snapshot order by created_at desc, id desc`,
  )
}

/** Withdraws all snapshots, in the transaction that changes what they contain. */
export async function withdrawSnapshots(db: Database): Promise<void> {
  await db.rows(sql`delete from chancery_world.snapshot`)
  await db.rows(sql`update chancery_world.pulse set snapshot_version = snapshot_version + 1`)
}

/** Chunks that are deleted at a time. */
const deletedAtOnce = 500

/** Deletes snapshots that are older than `keepDays`, and the chunks of deleted and withdrawn ones. */
export async function deleteOldSnapshots(db: Database, keepDays: number): Promise<void> {
  await db.rows(sql`
    delete from chancery_world.snapshot
    where created_at < clock_timestamp() - make_interval(days => ${keepDays}::int)
      and id <> (select id from chancery_world.snapshot order by created_at desc limit 1)`)
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce; ) {
    const rows = await db.rows(sql`
      delete from chancery_world.snapshot_chunk where (snapshot_id, resource, number) in (
        select snapshot_id, resource, number from chancery_world.snapshot_chunk c
        where not exists (select from chancery_world.snapshot s where s.id = c.snapshot_id) limit ${deletedAtOnce})
      returning 1`)
    deleted = rows.length
  }
}
