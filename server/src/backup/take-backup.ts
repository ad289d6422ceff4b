import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type CopySession, openCopySession } from '../store/copy.ts'
import { type ConnectionTarget, sql } from '../store/database.ts'
import { migrationLock } from '../store/locks.ts'
import { type BackupEnd, BackupError, type BackupHeader, type BackupTable, formatVersion } from './format.ts'
import { listTables } from './schema.ts'

/** A higher level takes three times as long for a tenth less. */
const gzipLevel = 4

/**
 * A snapshot of the whole database as a stream of bytes. Writes continue meanwhile and are not in it.
 * The stream fails with a BackupError if there is nothing to back up.
 */
export function takeBackup(target: ConnectionTarget, version: string): Readable {
  const gzip = createGzip({ level: gzipLevel })
  // If either stream fails or is destroyed, pipeline destroys the other.
  pipeline(Readable.from(writeBackup(target, version)), gzip, () => undefined)
  return gzip
}

async function* writeBackup(target: ConnectionTarget, version: string): AsyncGenerator<Buffer> {
  const session = await openCopySession(target)
  try {
    // Before the snapshot: migrations and restores wait until the backup is done.
    await session.rows(sql`select pg_advisory_lock_shared(${migrationLock})`)
    await session.run('begin transaction isolation level repeatable read, read only')
    yield* backupContents(session, await readHeader(session, version))
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error
    throw new BackupError(
      `the database user may not read all tables (${(error as Error).message}): back up as the user that migrates, who owns them`,
    )
  } finally {
    await session.close()
  }
}

async function readHeader(session: CopySession, version: string): Promise<BackupHeader> {
  const found = await session.first<{ is_there: boolean }>(
    sql`select to_regclass('chancery_meta.migration') is not null as is_there`,
  )
  if (!found?.is_there)
    throw new BackupError('there is nothing to back up: this database was never used by Chancery')
  const state = await session.first<Pick<BackupHeader, 'postgresql' | 'taken_at' | 'seq'>>(sql`
    select current_setting('server_version') as postgresql, transaction_timestamp() as taken_at, seq from chancery_world.pulse`)
  const migrations = await session.rows<BackupHeader['migrations'][number]>(
    sql`select number, name, checksum from chancery_meta.migration order by number`,
  )
  if (!state) throw new Error('chancery_world.pulse has no row')
  return { chancery_backup: formatVersion, chancery: version, ...state, migrations }
}

async function* backupContents(session: CopySession, header: BackupHeader): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (bytes: Buffer) => {
    hash.update(bytes)
    return bytes
  }
  yield hashed(lineOf(header))
  const rows: Record<string, number> = {}
  for (const { name, columns } of await listTables(session)) {
    yield hashed(lineOf({ table: name, columns } satisfies BackupTable))
    const text = session.copyOut(name, columns)
    let next = await text.next()
    for (; !next.done; next = await text.next()) {
      yield hashed(Buffer.from(`${next.value.length}\n`))
      yield hashed(next.value)
    }
    yield hashed(Buffer.from('0\n'))
    rows[name] = next.value
  }
  yield lineOf({ end: true, rows, sha256: hash.digest('hex') } satisfies BackupEnd)
}

const lineOf = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`)
