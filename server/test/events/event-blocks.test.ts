import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import fc from 'fast-check'
import { blockLength, deleteBlocks } from '../../src/events/event-blocks.ts'
import { retainEvents } from '../../src/events/retention.ts'
import { backUp, restoreTo } from '../backup/backups.ts'
import { nation } from '../ingest/facts.ts'
import { prepare, useFixture, useTestDatabase, useTestServer } from '../support/fixture.ts'
import { createTestPools } from '../support/pools.ts'
import { randomRuns } from '../support/tier.ts'
import { assertPages, type LoggedEvent, readLog } from './log-model.ts'

/** Numbers lost in a restore: most blocks between have no event, and two have some. */
const gap = { lastBefore: blockLength + 7_000, firstAfter: 90_000 * blockLength + 500 }
/** The next batch completes the third block after the gap. */
const last = gap.firstAfter - 500 + 3 * blockLength - 3
const spanLength = 5_000

describe('the log in blocks', () => {
  const chancery = useTestServer()
  const restored = useTestDatabase()
  const pools = useFixture(async () => createTestPools({ connectionString: chancery.databaseUrl }))
  let log: LoggedEvent[]

  const blocks = () =>
    chancery.query<{ filter: string; value: string; block: number; events: number }>(`
      select filter, value, block, bit_count(bits)::int as events from chancery_world.event_block order by 1, 2, 3`)

  prepare(async () => {
    await chancery.query(`
      insert into chancery_world.event (seq, type, kind_number, occurred_at, summary, nation_ids, alliance_ids, data)
      select seq, type, row_number() over (partition by type order by seq), '2026-05-01', type, '[]',
        case when seq % 11 = 0 then '["a1", "a2"]' when seq % 9001 = 0 then '["rare"]' when seq % 3 = 0 then '["a1"]'
          when seq % 7 = 0 then '["a2", "a3", "a1"]' when seq between 9000 and 9400 then '["early"]' else '[]' end::jsonb,
        '{}'
      from (
        select seq, case when seq % 997 = 0 then 'alliance.disbanded' when seq % 5 = 0 then 'battle.fought'
          when seq % 2 = 0 then 'war.declared' else 'nation.founded' end as type
        from (
          select generate_series(1, ${gap.lastBefore}::bigint) as seq
          union all select generate_series(${gap.firstAfter}, ${last}::bigint)
        ) numbers
      ) events`)
    await chancery.query(`
      insert into chancery_world.event_alliance (alliance_id, seq, type)
      select a.id, seq, type from chancery_world.event, jsonb_array_elements_text(alliance_ids) as a (id)`)
    await chancery.query(`
      insert into chancery_world.event_kind (type, last_number)
      select type, count(*) from chancery_world.event group by 1`)
    await chancery.query(`
      insert into chancery_world.event_log_span (first_seq, last_seq, logged_at, is_announced)
      select min(seq), max(seq), '2026-05-01'::timestamptz + span * interval '1 hour', true
      from (select seq, row_number() over (order by seq) / ${spanLength} as span from chancery_world.event) events group by span`)
    await chancery.query(`insert into chancery_world.log_gap values (${gap.lastBefore}, ${gap.firstAfter})`)
    await chancery.query(`update chancery_world.pulse set seq = ${last}`)
    // Five events.
    await chancery.ingest(['n1', 'n2', 'n3', 'n4', 'n5'].map(id => nation(id)))
    log = await readLog(chancery.databaseUrl)
  })

  test('has every event of a complete block once for each of its alliances, and for its type', async () => {
    const expected = new Map<string, number>()
    const end = gap.firstAfter - 500 + 3 * blockLength
    for (const { seq, type, alliance_ids } of log.filter(({ seq }) => seq < end))
      for (const [filter, value] of [['type', type], ...alliance_ids.map(id => ['alliance_id', id])]) {
        const key = `${filter} ${value} ${Math.floor(seq / blockLength)}`
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
    const stored = (await blocks()).map(
      ({ filter, value, block, events }) => [`${filter} ${value} ${block}`, events] as const,
    )
    assert.deepEqual(new Map(stored), new Map([...expected].sort(([one], [other]) => (one < other ? -1 : 1))))
    assert.equal(new Set((await blocks()).map(({ block }) => block)).size, 5)
  })

  test('is the same for a database that is migrated', async () => {
    const written = await chancery.query('select t::text from chancery_world.event_block t order by 1')
    await chancery.query('drop table chancery_world.event_block')
    await chancery.query('alter table chancery_world.pulse drop column event_blocks_end')
    for (const name of ['0058_event_blocks', '0059_fill_event_blocks']) {
      const migration = new URL(`../../src/store/migrations/${name}.sql`, import.meta.url)
      await chancery.query(await readFile(migration, 'utf8'))
    }
    assert.deepEqual(
      await chancery.query('select t::text from chancery_world.event_block t order by 1'),
      written,
    )
  })

  test('is written again when a backup, which does not contain it, is restored', async () => {
    const backup = await backUp(chancery)
    await restoreTo(restored, backup)
    const statement = 'select t::text from chancery_world.event_block t order by 1'
    assert.deepEqual(await restored.query(statement), await chancery.query(statement))
    const end = 'select event_blocks_end from chancery_world.pulse'
    assert.deepEqual(await restored.query(end), await chancery.query(end))
  })

  test('returns any page of some alliances, as a filter over the whole log does', async () => {
    const after = fc.oneof(
      { arbitrary: fc.constant(undefined), weight: 3 },
      fc.integer({ min: 1, max: gap.lastBefore }),
      fc.integer({ min: gap.firstAfter - 1, max: last + 5 }),
      // The ends of blocks.
      fc.constantFrom(
        ...[0, blockLength - 2, blockLength - 1, blockLength].map(seq => Math.min(seq, gap.lastBefore)),
      ),
    )
    const isLost = (seq: number) => seq > gap.lastBefore && seq < gap.firstAfter - 1
    await assertPages(chancery, log, {
      types: ['war.declared', 'nation.founded', 'battle.fought', 'alliance.disbanded', 'war.*'],
      alliances: ['a1', 'a2', 'a3', 'rare', 'early', 'none'],
      after,
      bounds: { last: last + 5, isLost },
      numRuns: randomRuns(600),
    })
  })

  test('loses the blocks whose events are no longer kept', async () => {
    const numbers = async () => [...new Set((await blocks()).map(({ block }) => block))]
    const [first, ...others] = await numbers()
    assert.equal(first, 0)
    await deleteBlocks(pools.ingest, blockLength - 2)
    assert.deepEqual(await numbers(), [first, ...others])
    await chancery.query(`
      update chancery_world.event_log_span set logged_at = case when last_seq <= ${gap.lastBefore} then now() - interval '40 days' else now() end`)
    const { signal } = new AbortController()
    const contract = contractFor(demoProfile)
    const retain = () =>
      retainEvents({
        pool: pools.ingest,
        contract,
        kept: { days: 30 },
        archiveDir: undefined,
        onDeleted() {},
        signal,
      })
    await retain()
    assert.deepEqual(await numbers(), [first, ...others])
    await chancery.query(`update chancery_world.pulse set events_expired_at = now() - interval '2 hours'`)
    await retain()
    assert.deepEqual(await numbers(), others)
    // Beyond an integer of PostgreSQL.
    await deleteBlocks(pools.ingest, last + 5)
    assert.deepEqual(await numbers(), [])
  })
})
