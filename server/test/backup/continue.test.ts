import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { continueRestored, type RestoreOptions } from '../../src/backup/restore-backup.ts'
import { applyWithin, dropSchemas } from '../../src/backup/schema.ts'
import { takeBackup } from '../../src/backup/take-backup.ts'
import { sequenceFloorAt } from '../../src/ingest/continue-numbers.ts'
import {
  appendToLedgerFile,
  type LedgerEntry,
  ledgerPath,
  readLedgerFile,
} from '../../src/redaction/ledger.ts'
import { openCopySession } from '../../src/store/copy.ts'
import { roundLock } from '../../src/store/locks.ts'
import { pendingMigrations, readMigrations } from '../../src/store/migrations.ts'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { query, withConnection } from '../support/database-url.ts'
import type { Fact } from '../support/test-server.ts'
import { backUp, firstValue, restoreTo, startServerOn } from './backups.ts'

/** A database with a backup that is older than a redaction, revocations and a suspension. */
let source: TestDatabase
let backup: Buffer
let ledger: LedgerEntry[]
let later: { keyId: string; replacedKeyId: string; tokenId: string }

const redact = (id: string, name: string): Fact => ({
  op: 'redact',
  resource: 'nation',
  id,
  data: { nation_name: name },
})
const nameOf = (database: TestDatabase, id: string) =>
  firstValue<string>(database.url, `select nation_name from chancery_world.nation where id = '${id}'`)
const summaries = (database: TestDatabase) =>
  firstValue<string>(database.url, "select string_agg(summary || data::text, ' ') from chancery_world.event")

before(async () => {
  source = await createTestDatabase()
  const chancery = await startServerOn(source.url)
  await chancery.ingest([
    nation('n1', { nation_name: 'Unspeakable', player: 'p1' }),
    nation('n2', { nation_name: 'Harmless', player: 'p2' }),
  ])
  await chancery.ingest([redact('n2', 'Redacted early')])
  await chancery.ingest([nation('n2', { nation_name: 'Named again' })])
  const key = await chancery.makeKey({ player_id: 'p1' })
  await chancery.makeKey({ player_id: 'p2' })
  const replaced = await chancery.makeKey({ player_id: 'p1' })
  const token = await chancery.operate('POST', '/tokens', { name: 'metrics', roles: ['metrics'] })
  const { id: tokenId } = (await token.json()) as { id: string }
  later = { keyId: key.id, replacedKeyId: replaced.id, tokenId }
  backup = await backUp(chancery)
  await chancery.ingest([redact('n1', 'Redacted')])
  await chancery.ingest([nation('n3', { nation_name: 'After the backup' })])
  await chancery.ingest([redact('n3', 'Redacted too')])
  for (const path of [`/keys/${key.id}/revoke`, `/tokens/${tokenId}/revoke`, '/players/p2/suspend'])
    assert.ok((await chancery.operate('POST', path, {})).ok, path)
  await query(
    source.url,
    `update chancery_access.api_key set expires_at = '2026-05-01T00:00:00Z' where id = '${replaced.id}'`,
  )
  ledger = await readLedgerFile(ledgerPath(chancery.dataDir))
  await chancery.close()
})
after(() => source.drop())

/** Runs work on an empty database. */
async function withDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createTestDatabase()
  try {
    await work(database)
  } finally {
    await database.drop()
  }
}

const optionsFor = ({ target }: TestDatabase, more: Partial<RestoreOptions> = {}): RestoreOptions => ({
  target,
  contract: contractFor(demoProfile),
  redactions: [],
  nowMs: Date.now(),
  ...more,
})

test('redactions since the backup are applied again from the ledger; older ones are not repeated', () =>
  withDatabase(async database => {
    assert.equal(ledger.length, 3)
    const { replayed, rejected } = await restoreTo(database, backup, { redactions: ledger })
    assert.equal(await nameOf(database, 'n1'), 'Redacted')
    assert.doesNotMatch(await summaries(database), /Unspeakable/)
    assert.equal(await nameOf(database, 'n2'), 'Named again')
    assert.equal(replayed, 1)
    assert.deepEqual(
      rejected.map(({ fact }) => fact.id),
      ['n3'],
    )
    assert.equal(
      await firstValue(
        database.url,
        "select count(*) from chancery_secret.redaction where fact->>'id' = 'n1'",
      ),
      '1',
    )
  }))

test('without the ledger a restore brings back redacted texts', () =>
  withDatabase(async database => {
    await restoreTo(database, backup)
    assert.equal(await nameOf(database, 'n1'), 'Unspeakable')
  }))

test('a replaced database passes on its redactions, revocations and suspensions', async () => {
  const restored = await restoreTo(source, backup, { replaces: true })
  assert.equal(restored.replayed, 1)
  assert.equal(await nameOf(source, 'n1'), 'Redacted')
  const isRevoked = (table: string, id: string) =>
    firstValue(source.url, `select revoked_at is not null from chancery_access.${table} where id = '${id}'`)
  assert.equal(await isRevoked('api_key', later.keyId), true)
  assert.equal(await isRevoked('operator_token', later.tokenId), true)
  assert.equal(
    await firstValue(
      source.url,
      `select expires_at < now() from chancery_access.api_key where id = '${later.replacedKeyId}'`,
    ),
    true,
  )
  assert.equal(
    await firstValue(source.url, "select count(*) from chancery_access.suspension where player_id = 'p2'"),
    '1',
  )
  // The other key stays valid.
  assert.equal(
    await firstValue(
      source.url,
      'select count(*) from chancery_access.api_key where revoked_at is null and expires_at is null',
    ),
    '1',
  )
})

test('a restored database can be restored again, and its numbers continue above both', async () => {
  const before = Number(await firstValue(source.url, 'select seq from chancery_world.pulse'))
  const { next_seq: next } = await restoreTo(source, backup, {
    replaces: true,
    nowMs: Date.now() - 86_400_000,
  })
  assert.ok(next > before + 1, `${next} after ${before}`)
})

test('until the first ranking round, lists of a restored database count their items', () =>
  withDatabase(async database => {
    await restoreTo(database, backup, { redactions: ledger })
    await withConnection(database.url, async client => {
      // While this lock is held no ranking round runs.
      await client.query('select pg_advisory_lock($1)', [roundLock])
      const chancery = await startServerOn(database.url)
      try {
        for (const list of ['/nations', '/nations?status=active', '/nations?min_score=0', '/rankings'])
          for (const announced of [false, true]) {
            if (announced) await chancery.ingest([nation('young')], { waits: false })
            const { data, pagination } = await chancery.read<{
              data: { rank: number | null }[]
              pagination: { total: number }
            }>(list)
            assert.equal(pagination.total, data.length, list)
            assert.ok(data.every(({ rank }) => rank !== 0))
          }
      } finally {
        await chancery.close()
      }
    })
  }))

test('a clock before 2026 still leaves a gap', () =>
  withDatabase(async database => {
    const { next_seq: next, backup: summary } = await restoreTo(database, backup, { nowMs: 0 })
    assert.equal(sequenceFloorAt(0), 0)
    assert.equal(next, summary.seq + 2)
  }))

test('a database that was restored by other means continues, with its redactions', () =>
  withDatabase(async database => {
    await restoreTo(database, backup, { nowMs: 0 })
    const before = Number(await firstValue(database.url, 'select seq from chancery_world.pulse'))
    const continued = await continueRestored(optionsFor(database, { redactions: ledger }))
    assert.equal(continued.replayed, 1)
    assert.equal(await nameOf(database, 'n1'), 'Redacted')
    assert.ok(continued.next_seq > before)
    const again = await continueRestored(optionsFor(database, { redactions: ledger }))
    assert.equal(again.replayed, 0)
    assert.ok(again.next_seq > continued.next_seq)
  }))

test('a backup of an older version is restored, then migrated', () =>
  withDatabase(async database => {
    const old = await createTestDatabase()
    const session = await openCopySession(old.target)
    const migrations = await readMigrations()
    await dropSchemas(session)
    await applyWithin(session, migrations.slice(0, 12))
    await session.run("insert into chancery_world.era (id, name, status) values ('e1', 'First', 'current')")
    await session.close()
    const older = Buffer.concat(await takeBackup(old.target, 'test').toArray())
    await old.drop()
    const { migrated } = await restoreTo(database, older)
    assert.deepEqual(
      migrated,
      migrations.slice(12).map(({ name }) => name),
    )
    assert.ok(migrated.length > 0)
    assert.deepEqual(await pendingMigrations(database.target), [])
    assert.equal(await firstValue(database.url, 'select name from chancery_world.era'), 'First')
  }))

test('identity columns continue after the restored rows', () =>
  withDatabase(async database => {
    await restoreTo(database, backup)
    const last = Number(await firstValue(database.url, 'select max(id) from chancery_access.audit_log'))
    assert.ok(last > 0)
    assert.equal(
      await firstValue(
        database.url,
        "insert into chancery_access.audit_log (at, token_id, token_name, action, status) values (now(), 'x', 'x', 'x', 200) returning id",
      ),
      String(last + 1),
    )
  }))

test('the ledger file is readable only by its owner, and a truncated line is skipped', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-ledger-'))
  try {
    const entry = (id: string): LedgerEntry => ({
      op: 'redact',
      at: '2026-06-01T12:00:00.000Z',
      fact: redact(id, 'x'),
    })
    await appendToLedgerFile(dataDir, [entry('n1'), entry('n2')])
    assert.equal((await stat(ledgerPath(dataDir))).mode & 0o777, 0o600)
    const whole = await readFile(ledgerPath(dataDir), 'utf8')
    await writeFile(ledgerPath(dataDir), whole.slice(0, -5))
    assert.deepEqual(await readLedgerFile(ledgerPath(dataDir)), [entry('n1')])
    await appendToLedgerFile(dataDir, [entry('n3')])
    await assert.rejects(readLedgerFile(ledgerPath(dataDir)), /line 2: not an entry/)
    const [first, , third] = (await readFile(ledgerPath(dataDir), 'utf8')).split('\n')
    await writeFile(ledgerPath(dataDir), `${first}\n${third}\n`)
    assert.deepEqual(await readLedgerFile(ledgerPath(dataDir)), [entry('n1'), entry('n3')])
  } finally {
    await rm(dataDir, { recursive: true })
  }
})
