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
import { backUp, firstValue, inChunks, readTables, restoreTo, startServerOn } from './backups.ts'

let source: TestDatabase
let destination: TestDatabase
let backup: Buffer
/** The contents of the destination, which no failure changes. */
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

/** A backup with a changed text and a valid checksum. */
function rewritten(change: (text: string) => string): Buffer {
  const text = change(gunzipSync(backup).toString())
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const sha256 = createHash('sha256').update(text.slice(0, end)).digest('hex')
  return gzipSync(text.slice(0, end) + text.slice(end).replace(/"sha256":"\w+"/, `"sha256":"${sha256}"`))
}

const replace = (bytes: Buffer) => restoreTo(destination, bytes, { replaces: true })

const cutOff = (share: number) => backup.subarray(0, share < 1 ? Math.floor(backup.length * share) : share)
const flipped = (share: number) => {
  const bytes = Buffer.from(backup)
  const at = Math.floor(bytes.length * share)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at)
  return bytes
}
const withHeader = (change: (header: { migrations: object[]; chancery_backup: number }) => void) =>
  rewritten(text => {
    const end = text.indexOf('\n')
    const header = JSON.parse(text.slice(0, end))
    change(header)
    return JSON.stringify(header) + text.slice(end)
  })
const rejected: [name: string, error: RegExp | typeof BackupError, ...backups: (() => Buffer)[]][] = [
  [
    'a file that is cut off anywhere',
    BackupError,
    ...[0, 5, 0.1, 0.5, 0.9].map(share => () => cutOff(share)),
    ...[9, 1].map(missing => () => cutOff(backup.length - missing)),
  ],
  [
    'a complete gzip file without its last line',
    /damaged or cut off/,
    () => {
      const text = gunzipSync(backup)
      return gzipSync(text.subarray(0, text.lastIndexOf('\n', text.length - 2) + 1))
    },
  ],
  ['a file with a flipped bit', BackupError, ...[0.02, 0.3, 0.6, 0.95].map(share => () => flipped(share))],
  [
    'a text that was changed before compression',
    /its checksum or row counts differ/,
    () => gzipSync(gunzipSync(backup).toString().replace('A secret in a row', 'B secret in a row')),
  ],
  [
    'a file with a missing row',
    /its checksum or row counts differ/,
    () => rewritten(text => text.replace(/"chancery_world\.nation":301/, '"chancery_world.nation":302')),
  ],
  [
    'a backup of a newer version, by its migrations or its format,',
    /made by a newer Chancery/,
    () =>
      withHeader(({ migrations }) =>
        migrations.push({ number: 9999, name: '9999_later.sql', checksum: 'x' }),
      ),
    () => withHeader(header => Object.assign(header, { chancery_backup: 2 })),
  ],
  [
    'a backup of another build',
    /another build/,
    () => withHeader(({ migrations }) => Object.assign(migrations[0] ?? {}, { checksum: 'another' })),
  ],
  [
    'a file that is not a backup',
    BackupError,
    () => gzipSync('{"op":"put"}\n'),
    () => gzipSync('hello\nworld\n'),
    () => Buffer.from('hello'),
  ],
]
for (const [name, error, ...backups] of rejected)
  test(`${name} is rejected and changes nothing`, async () => {
    for (const make of backups) await assert.rejects(replace(make()), error)
    await isUnchanged()
  })

test('rows that violate a constraint fail the restore, change nothing, and are not quoted', async () => {
  const wrong = rewritten(text => text.replace(/\nn1\tA secret in a row\t/, '\nm1\tA secret in a row\t'))
  await assert.rejects(replace(wrong), (error: Error) => {
    assert.match(error.message, /the rows of chancery_world\.nation are invalid, SQLSTATE 23505/)
    assert.doesNotMatch(error.message, /secret in a row/)
    return true
  })
  await isUnchanged()
})

test('a database with a world is replaced only with --replace', async () => {
  await assert.rejects(restoreTo(destination, backup), /this database is not empty.*--replace/)
  await isUnchanged()
})

test('a restore is rejected while a service is running', async () => {
  const running = await startServerOn(destination.url)
  try {
    await assert.rejects(replace(backup), /the service is running on this database/)
  } finally {
    await running.close()
  }
  assert.equal(
    await firstValue(destination.url, "select count(*) from chancery_world.nation where id = 'other'"),
    '1',
  )
})

test('a view of others on our tables is not dropped with them', async () => {
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

test('a backup of an empty database is rejected', async () => {
  const empty = await createTestDatabase()
  const pool = createPool({ target: empty.target, connectionsMax: 1 })
  await pool.connection((_db, client) => client.query('drop schema chancery_meta cascade'))
  await pool.close()

  await assert.rejects(checkBackup(takeBackup(empty.target, 'test')), /there is nothing to back up/)
  await empty.drop()
})

test('an interrupted backup closes its connection', async () => {
  for await (const chunk of takeBackup(source.target, 'test')) {
    assert.ok(chunk.length > 0)
    break
  }
  const count = () =>
    firstValue<string>(
      source.url,
      "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'chancery copy'",
    )
  await until(async () => (await count()) === '0', 'the connection is closed')
})

test('a backup is checked in chunks of any size, with the same result', async () => {
  assert.deepEqual(await checkBackup(inChunks(backup, 1)), await checkBackup(inChunks(backup, 1_000_000)))
})
