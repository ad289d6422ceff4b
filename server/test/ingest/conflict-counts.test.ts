import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { closeAfter } from '../support/close-after.ts'
import { withConnection } from '../support/database-url.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { randomRuns, whileBegunWithin } from '../support/tier.ts'
import { assertConflictsAddUp } from './conflict-numbers.ts'
import { put, remove } from './facts.ts'

const chancery = closeAfter(await startTestServer())

const [nations, alliances, conflicts, wars, battles] = [4, 4, 2, 6, 8]
const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => letter + index)
const anyOf = (letter: string, count: number) => fc.constantFrom(...numbered(letter, count))
const allianceId = anyOf('a', alliances)
const losses = fc.record({ soldiers: fc.nat(3), tanks: fc.nat(3) }, { requiredKeys: [] })

const side = fc.record({
  nation_id: anyOf('n', nations),
  alliance_id: fc.option(allianceId),
})
const anyWar = fc
  .record({
    id: anyOf('w', wars),
    status: fc.constantFrom('active', 'ended'),
    declared_at: fc.constant('dayT12:00:00Z'),
    attacker: side,
    defender: side,
    conflict_id: fc.option(anyOf('c', conflicts), { freq: 3 }),
  })
  // A war of a nation on itself is rejected.
  .filter(({ attacker, defender }) => attacker.nation_id !== defender.nation_id)
const anyBattle = fc.record({
  id: anyOf('b', battles),
  war_id: anyOf('w', wars),
  fought_at: fc.constant('dayT13:00:00Z'),
  attacker_nation_id: anyOf('n', nations),
  defender_nation_id: anyOf('n', nations),
  victor: fc.constantFrom('attacker', 'defender', null),
  losses: fc.record({ attacker: losses, defender: losses }),
})
const sides = fc.array(
  fc.array(fc.record({ alliance_id: allianceId, left_at: fc.constantFrom(null, 'dayT14:00:00Z') }), {
    maxLength: 3,
  }),
  { maxLength: 3 },
)
const conflictOf = (id: string, members: object[][]) =>
  put('conflict', {
    id,
    name: `Conflict ${id}`,
    started_at: 'dayT00:00:00Z',
    sides: members.map((alliances, index) => ({ name: `Side ${index}`, alliances })),
  })

const fact: fc.Arbitrary<Fact> = fc.oneof(
  { arbitrary: anyWar.map(data => put('war', data)), weight: 6 },
  { arbitrary: anyOf('w', wars).map(id => remove('war', id)), weight: 2 },
  { arbitrary: anyBattle.map(data => put('battle', data)), weight: 6 },
  { arbitrary: anyOf('b', battles).map(id => remove('battle', id)), weight: 1 },
  {
    arbitrary: fc.tuple(anyOf('c', conflicts), sides).map(([id, members]) => conflictOf(id, members)),
    weight: 2,
  },
  { arbitrary: anyOf('c', conflicts).map(id => remove('conflict', id)), weight: 1 },
)
const redaction: fc.Arbitrary<Fact> = fc.oneof(
  anyOf('a', alliances).map(id => ({ op: 'redact', resource: 'alliance', id, data: { name: 'Redacted' } })),
  anyOf('w', wars).map(id => ({ op: 'redact', resource: 'war', id, data: { reason: null } })),
  anyOf('c', conflicts).map(id => ({ op: 'redact', resource: 'conflict', id, data: { name: 'Nothing' } })),
  anyOf('n', nations).map(id => ({ op: 'erase', player: `player-${id}`, nations: [id] })),
)
const batch = fc
  .tuple(
    fc.array(fact, { minLength: 1, maxLength: 10 }),
    fc.option(redaction, { freq: 3 }).map(back => (back ? [back] : [])),
  )
  .map(parts => parts.flat())
const snapshot: Fact = { op: 'snapshot', resource: 'war', allow_deletes: true }

/** All rows that facts may refer to, also after their deletion. */
const beginning: Fact[] = [
  ...numbered('n', nations).map(id => put('nation', { id, nation_name: `Nation ${id}` })),
  ...numbered('a', alliances).map(id => put('alliance', { id, name: `Alliance ${id}` })),
  ...numbered('c', conflicts).map((id, index) =>
    conflictOf(id, [[{ alliance_id: 'a0' }, { alliance_id: 'a1' }], [{ alliance_id: `a${2 + index}` }]]),
  ),
  ...numbered('w', wars).map((id, index) =>
    put('war', {
      id,
      declared_at: 'dayT12:00:00Z',
      attacker: { nation_id: 'n0', alliance_id: `a${index % 2}` },
      defender: { nation_id: 'n1', alliance_id: 'a2' },
      conflict_id: index % 3 === 2 ? null : `c${index % 3}`,
    }),
  ),
]

/** Gives each run ids and a day of its own. */
function ofRun(run: number, facts: Fact[]): Fact[] {
  const day = new Date(Date.UTC(2020, 0, run)).toISOString().slice(0, 10)
  const text = JSON.stringify(facts)
  return JSON.parse(text.replace(/"([nacwb]\d)"/g, `"r${run}-$1"`).replaceAll('"dayT', `"${day}T`)) as Fact[]
}

test('the counters of conflicts match their wars, whatever batches change, delete or recreate', async () => {
  let run = 0
  const mayBegin = whileBegunWithin(15_000)
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 8 }),
      fc.array(anyOf('w', wars), { maxLength: 3 }),
      fc.array(anyWar, { maxLength: 3 }),
      async (batches, removed, kept) => {
        run += 1
        const ingest = async (facts: Fact[]) => {
          await chancery.ingest(ofRun(run, facts), { waits: false })
          await assertConflictsAddUp(chancery.databaseUrl)
        }
        if (!mayBegin()) return
        for (const facts of [beginning, ...batches]) await ingest(facts)
        await ingest([snapshot, ...kept.map(data => put('war', data))])
        await ingest([
          { op: 'reset', ended: { id: `era-${run}`, name: 'An era', ended_at: 'dayT18:00:00Z' } },
          ...removed.map(id => remove('war', id)),
        ])
      },
    ),
    { numRuns: randomRuns(6), endOnFailure: true },
  )
})

test('the counters of conflicts match their wars after a batch that is applied in parts', async () => {
  const filler = Array.from({ length: 2_500 }, () => put('war', { id: 'w0', reason: 'Again.' }))
  let run = 1_000
  await fc.assert(
    fc.asyncProperty(
      fc.array(fact, { minLength: 10, maxLength: 20 }),
      fc.array(fact, { minLength: 10, maxLength: 20 }),
      async (first, last) => {
        run += 1
        await chancery.ingest(ofRun(run, beginning), { waits: false })
        const facts = [...first, ...beginning.slice(-wars), ...filler, ...last]
        await chancery.ingest(ofRun(run, facts), { waits: false })
        await assertConflictsAddUp(chancery.databaseUrl)
      },
    ),
    { numRuns: randomRuns(3), endOnFailure: true },
  )
})

test('a batch adds differences to the counters of a conflict, without reading its other wars', async () => {
  const run = 2_000
  const facts = ofRun(run, beginning)
  await chancery.ingest(facts, { waits: false })
  const id = `r${run}-c0`
  // Numbers without wars: counting all wars again would lose them.
  await withConnection(chancery.databaseUrl, client =>
    client.query(
      `update chancery_world.conflict set wars_total = wars_total + 1000, battles_count = battles_count + 1000,
         side_totals = jsonb_set(side_totals, '{0,nation_count}', '1000') where id = $1`,
      [id],
    ),
  )
  await chancery.ingest(
    ofRun(run, [
      put('war', {
        id: 'w9',
        declared_at: 'dayT12:00:00Z',
        attacker: { nation_id: 'n3', alliance_id: 'a0' },
        defender: { nation_id: 'n1', alliance_id: 'a2' },
        conflict_id: 'c0',
      }),
    ]),
    { waits: false },
  )
  const { data } = await chancery.read<{
    data: { id: string; wars: object; battles_count: number; sides: { nation_count: number }[] }[]
  }>('/global-conflicts?limit=100')
  const found = data.find(conflict => conflict.id === id)
  assert.deepEqual(found?.wars, { active: 3, total: 1003 })
  assert.equal(found.battles_count, 1000)
  assert.equal(found.sides[0]?.nation_count, 1001)
})
