import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { BackupError } from '../../src/backup/format.ts'
import { checkBackup } from '../../src/backup/read-backup.ts'
import { takeBackup } from '../../src/backup/take-backup.ts'
import { createPool } from '../../src/store/database.ts'
import { alliance, nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { backUp, firstValue, inPieces, readTables, restoreTo, startServerOn } from './backups.ts'

let source: TestDatabase
let destination: TestDatabase
let backup: Buffer
/** All that the destination holds, which no failure changes. */
let held: Map<string, string[]>

before(async () => {
  source = await createTestDatabase()
  destination = await createTestDatabase()
  const one = await startServerOn(source.url)
  await one.ingest([nation('n1', { nation_name: 'A secret in a row', player: 'p1' }), alliance('a1')])
  await one.ingest(Array.from({ length: 300 }, (_, index) => nation(`m${index}`)))
  await one.makeKey({ player_id: 'p1' })
  backup = await backUp(one)
  await one.close()
  const other = await startServerOn(destination.url)
  await other.ingest([nation('other')])
  await other.close()
  held = await readTables(destination.url)
})
after(async () => {
  await source.drop()
  await destination.drop()
})

const isUnchanged = async () => assert.deepEqual(await readTables(destination.url), held)

/** Another text in a backup, with an end that fits it. */
function rewritten(change: (text: string) => string): Buffer {
  const text = change(gunzipSync(backup).toString())
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const sha256 = createHash('sha256').update(text.slice(0, end)).digest('hex')
  return gzipSync(text.slice(0, end) + text.slice(end).replace(/"sha256":"\w+"/, `"sha256":"${sha256}"`))
}

const replace = (bytes: Buffer) => restoreTo(destination, bytes, { replaces: true })

test('a file that is cut off anywhere changes nothing', async () => {
  for (const part of [0, 5, 0.1, 0.5, 0.9, backup.length - 9, backup.length - 1]) {
    const length = part < 1 ? Math.floor(backup.length * part) : part
    await assert.rejects(replace(backup.subarray(0, length)), BackupError, `${length} bytes`)
  }
  await isUnchanged()
})

test('a file that ends before its last line, but is compressed whole, changes nothing', async () => {
  const text = gunzipSync(backup)
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  await assert.rejects(replace(gzipSync(text.subarray(0, end))), /damaged or cut off/)
  await isUnchanged()
})

test('a byte that flipped changes nothing', async () => {
  for (const share of [0.02, 0.3, 0.6, 0.95]) {
    const flipped = Buffer.from(backup)
    const at = Math.floor(flipped.length * share)
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0x10, at)
    await assert.rejects(replace(flipped), BackupError, `at ${at}`)
  }
  await isUnchanged()
})

test('a letter that changed before it was compressed changes nothing', async () => {
  const text = gunzipSync(backup).toString().replace('A secret in a row', 'B secret in a row')
  await assert.rejects(replace(gzipSync(text)), /its checksum or row counts differ/)
  await isUnchanged()
})

test('rows that a table does not take fail the restore late, change nothing, and are not quoted', async () => {
  const wrong = rewritten(text => text.replace(/\nn1\tA secret in a row\t/, '\nm1\tA secret in a row\t'))
  await assert.rejects(replace(wrong), (error: Error) => {
    assert.match(error.message, /the rows of chancery_world\.nation are invalid, SQLSTATE 23505/)
    assert.doesNotMatch(error.message, /secret in a row/)
    return true
  })
  await isUnchanged()
})

test('a row fewer than was counted changes nothing', async () => {
  const fewer = rewritten(text => text.replace(/"chancery_world\.nation":301/, '"chancery_world.nation":302'))
  await assert.rejects(replace(fewer), /its checksum or row counts differ/)
  await isUnchanged()
})

test('a backup of a newer version is refused, by its format and by its migrations', async () => {
  const header = (change: (header: Record<string, unknown>) => void) =>
    rewritten(text => {
      const end = text.indexOf('\n')
      const value = JSON.parse(text.slice(0, end))
      change(value)
      return JSON.stringify(value) + text.slice(end)
    })
  const newer = header(value => {
    value.migrations = [
      ...(value.migrations as object[]),
      { number: 9999, name: '9999_later.sql', checksum: 'x' },
    ]
  })
  await assert.rejects(replace(newer), /made by a newer Chancery/)
  const later = header(value => {
    value.chancery_backup = 2
  })
  await assert.rejects(replace(later), /made by a newer Chancery/)
  const other = header(value => {
    const [first, ...rest] = value.migrations as object[]
    value.migrations = [{ ...first, checksum: 'another' }, ...rest]
  })
  await assert.rejects(replace(other), /another build/)
  await isUnchanged()
})

test('what is no backup is refused', async () => {
  for (const bytes of [gzipSync('{"op":"put"}\n'), gzipSync('hello\nworld\n'), Buffer.from('hello')])
    await assert.rejects(replace(bytes), BackupError)
  await isUnchanged()
})

test('a database that holds a world is replaced only when that is wanted', async () => {
  await assert.rejects(restoreTo(destination, backup), /this database is not empty.*--replace/)
  await isUnchanged()
})

test('nothing is restored under a running service', async () => {
  const running = await startServerOn(destination.url)
  try {
    await assert.rejects(replace(backup), /a Chancery is running on this database/)
  } finally {
    await running.close()
  }
  assert.equal(
    await firstValue(destination.url, "select count(*) from chancery_world.nation where id = 'other'"),
    '1',
  )
})

test('what others made on top of our tables is not dropped with them', async () => {
  const pool = createPool({ target: destination.target, connectionsMax: 1 })
  const statement = (text: string) => pool.connection((_db, client) => client.query(text))
  try {
    await statement('create view public.of_the_game as select id from chancery_world.nation')
    await assert.rejects(replace(backup), /outside of Chancery's schemas .* depends on their tables/)
    await statement('drop view public.of_the_game')
  } finally {
    await pool.close()
  }
  assert.equal(
    await firstValue(destination.url, "select count(*) from chancery_world.nation where id = 'other'"),
    '1',
  )
})

test('where there is nothing, nothing is backed up', async () => {
  const empty = await createTestDatabase()
  const pool = createPool({ target: empty.target, connectionsMax: 1 })
  await pool.connection((_db, client) => client.query('drop schema chancery_meta cascade'))
  await pool.close()

  await assert.rejects(checkBackup(takeBackup(empty.target, 'test')), /there is nothing to back up/)
  await empty.drop()
})

test('a reader who leaves in the middle leaves no connection behind', async () => {
  for await (const chunk of takeBackup(source.target, 'test')) {
    assert.ok(chunk.length > 0)
    break
  }
  const count = () =>
    firstValue<string>(
      source.url,
      "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'chancery copy'",
    )
  await until(async () => (await count()) === '0', 'the connection is gone')
})

test('a whole backup is taken in pieces of any size, and says the same', async () => {
  assert.deepEqual(await checkBackup(inPieces(backup, 1)), await checkBackup(inPieces(backup, 1_000_000)))
})
