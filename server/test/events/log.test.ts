import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { createWorld, linesOf } from '@chancery/simulator'
import fc from 'fast-check'
import pg from 'pg'
import { commit, lines, nation, put } from '../ingest/facts.ts'
import { type Outcome, startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import type { Event } from './cases.ts'
import { type LoggedEvent, pageOf, type Query, searchOf } from './log-model.ts'

let chancery: TestServer
let outcomes: Outcome[]
let log: LoggedEvent[]
const types = Object.keys(contractFor(demoProfile).eventKinds)

before(async () => {
  chancery = await startTestServer()
  const world = createWorld({ nations: 40, days: 30, seed: 11, endsAt: '2026-05-27T18:00:00Z' })
  // Refused batches in between, and another stream at the same time: neither leaves a gap.
  const history = [...world.history()].flatMap((batch, index) => [
    linesOf(batch),
    lines(nation(`refused-${index}`, index % 2 ? { rank: 1 } : { id: `x${index}` }), commit(`r-${index}`)),
    lines(put('alliance_member', { nation_id: 'none', alliance_id: 'none' }), commit(`q-${index}`)),
  ])
  const others = Array.from({ length: 40 }, (_, index) => lines(nation(`o${index}`), commit(`o-${index}`)))
  const sent = await Promise.all([chancery.send(history.join('')), chancery.send(others.join(''))])
  outcomes = sent.flat()
  log = await readLog()
})
after(() => chancery.close())

async function readLog(): Promise<LoggedEvent[]> {
  const client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<LoggedEvent>(`
      select e.seq::int, e.type, e.occurred_at, e.summary, e.nation_ids, e.alliance_ids, e.war_id, e.conflict_id, e.data,
        to_char(l.logged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as logged_at,
        e.kind_number::int
      from chancery_world.event e join chancery_world.logging l on e.seq between l.first_seq and l.last_seq
      order by e.seq`)
    return rows
  } finally {
    await client.end()
  }
}

const read = (query: Query) =>
  chancery.read<{ data: Event[]; pagination: { total: number; pages: number } }>(`/events?${searchOf(query)}`)

test('numbers run from 1 without a gap, over refused and simultaneous batches', () => {
  assert.ok(log.length > 200, `${log.length}`)
  assert.ok(outcomes.some(({ status }) => status === 'refused'))
  assert.deepEqual(
    log.map(({ seq }) => seq),
    log.map((_, index) => index + 1),
  )
})

test('each batch has its own numbers, in the order of the results of its stream', () => {
  const applied = outcomes.filter(({ events }) => events > 0)
  const spans = applied
    .map(({ last_seq, events }) => [Number(last_seq) - events + 1, Number(last_seq)] as const)
    .toSorted(([one], [other]) => one - other)
  let next = 1
  for (const [first, last] of spans) {
    assert.equal(first, next)
    next = last + 1
  }
  assert.equal(next, log.length + 1)
})

test('numbers within each kind run from 1 without a gap, in the order of the log', () => {
  const counts = new Map<string, number>()
  for (const { type, kind_number } of log as (LoggedEvent & { kind_number: number })[]) {
    counts.set(type, (counts.get(type) ?? 0) + 1)
    assert.equal(kind_number, counts.get(type))
  }
  assert.ok(counts.size > 10, `${[...counts.keys()]}`)
})

test('the time of logging never runs backwards', () => {
  const times = log.map(({ logged_at }) => logged_at)
  assert.deepEqual(times, times.toSorted())
})

test('any page of any selection is that of plain code over the whole log', async () => {
  const ids = (pick: (event: LoggedEvent) => string[]) => [...new Set(log.flatMap(pick)), 'none']
  const some = (values: string[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
  const families = [...new Set(types.map(type => `${type.split('.')[0]}.*`))]
  const time = fc
    .tuple(fc.constantFrom(...log.map(({ logged_at }) => logged_at)), fc.constantFrom(-1, 0, 1))
    .map(([logged, step]) => new Date(Date.parse(logged) + step).toISOString())
  const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary, weight: 1 })
  const query: fc.Arbitrary<Query> = fc.record({
    type: rarely(some([...types, ...families])),
    nation_id: rarely(some(ids(event => event.nation_ids))),
    alliance_id: rarely(some(ids(event => event.alliance_ids))),
    war_id: rarely(fc.constantFrom(...ids(event => (event.war_id === null ? [] : [event.war_id])))),
    since: rarely(time),
    until: rarely(time),
    after: rarely(
      fc.oneof(
        { arbitrary: fc.nat({ max: log.length }), weight: 9 },
        { arbitrary: fc.constantFrom(log.length + 1, log.length * 2), weight: 1 },
      ),
    ),
    page: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 500 })),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  let found = 0
  await fc.assert(
    fc.asyncProperty(query, async asked => {
      const expected = pageOf(log, asked)
      if (expected === 'cursor_expired') {
        const response = await chancery.get(`/events?${searchOf(asked)}`)
        assert.equal(response.status, 410)
        assert.match(await response.text(), /cursor_expired/)
        return
      }
      const { data, pagination } = await read(asked)
      assert.deepEqual({ seqs: data.map(({ seq }) => seq), total: pagination.total }, expected)
      assert.equal(pagination.pages, Math.ceil(expected.total / asked.limit))
      found += data.length
    }),
    { numRuns: randomRuns(800) },
  )
  assert.ok(found > 0, 'events were found')
})

test('following with `after` in pages of any size returns the whole log once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 30, max: 100 }), { minLength: 3, maxLength: 9 }),
      fc.option(fc.constantFrom('war.*', 'alliance.member_joined'), { nil: undefined }),
      async (sizes, type) => {
        const seqs: number[] = []
        for (let turn = 0; ; turn += 1) {
          const limit = sizes[turn % sizes.length] ?? 1
          const { data } = await read({
            ...(type === undefined ? {} : { type: [type] }),
            after: seqs.at(-1) ?? 0,
            page: 1,
            limit,
          })
          if (data.length === 0) break
          seqs.push(...data.map(({ seq }) => seq))
          assert.ok(seqs.length <= log.length, 'something is told twice')
        }
        const wanted = pageOf(log, {
          ...(type === undefined ? {} : { type: [type] }),
          after: 0,
          page: 1,
          limit: log.length,
        })
        assert.deepEqual(wanted, { seqs, total: seqs.length })
      },
    ),
    { numRuns: randomRuns(6) },
  )
})

test('a cursor at the end waits for more, beyond the end it has expired', async () => {
  const last = log.length
  assert.deepEqual((await read({ after: last, page: 1, limit: 10 })).data, [])
  assert.equal((await chancery.get(`/events?after=${last + 1}`)).status, 410)
  await chancery.ingest([nation('one-more')], { waits: false })
  const { data } = await read({ after: last, page: 1, limit: 10 })
  assert.deepEqual(
    data.map(({ seq, type }) => [seq, type]),
    [[last + 1, 'nation.founded']],
  )
})

test('history that is not announced is in the log like any other', async () => {
  const { last_seq } = await chancery.ingest([nation('history')], { waits: false, announce: false })
  const { data } = await read({ nation_id: ['history'], page: 1, limit: 10 })
  assert.deepEqual(
    data.map(({ seq }) => seq),
    [last_seq],
  )
})
