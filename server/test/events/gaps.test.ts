import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, linesOf } from '@chancery/simulator'
import fc from 'fast-check'
import { nation } from '../ingest/facts.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import type { Event } from './cases.ts'
import { leaveGap } from './leave-gap.ts'
import { type LoggedEvent, pageOf, type Query, searchOf } from './log-model.ts'
import { openStream } from './stream-reader.ts'

interface Gap {
  lastBefore: number
  firstAfter: number
}

let chancery: TestServer
let log: LoggedEvent[]
const gaps: Gap[] = []
/** Of one number, of some, and as wide as time makes them. */
const widths = [1, 2, 7, 300, 5_000, 1_000_000_000_000]

before(async () => {
  chancery = await startTestServer()
  const world = createWorld({ nations: 40, days: 25, seed: 3, endsAt: '2026-05-27T18:00:00Z' })
  const history = [...world.history()]
  await gap(3)
  const each = Math.ceil(history.length / widths.length)
  for (const [index, width] of widths.entries()) {
    const batches = history.slice(index * each, (index + 1) * each)
    await chancery.send(batches.map(linesOf).join(''))
    await gap(width)
    // Two restores with nothing between them.
    if (width === 300) await gap(10)
  }
  await chancery.send(`${JSON.stringify(nation('last'))}\n{"op":"commit","batch":"last"}\n`)
  log = await readLog()
})
after(() => chancery.close())

async function gap(width: number): Promise<void> {
  const firstAfter = await leaveGap(chancery.databaseUrl, width)
  gaps.push({ lastBefore: firstAfter - width - 1, firstAfter })
}

const bounds = () => ({
  last: Math.max(log.at(-1)?.seq ?? 0, ...gaps.map(({ firstAfter }) => firstAfter - 1)),
  isLost: (seq: number) =>
    seq !== 0 && gaps.some(({ lastBefore, firstAfter }) => seq > lastBefore && seq < firstAfter - 1),
})

const readLog = (): Promise<LoggedEvent[]> =>
  withConnection(chancery.databaseUrl, async client => {
    const { rows } = await client.query(`
      select e.seq::float8, e.type, e.nation_ids, e.alliance_ids, e.war_id,
        to_char(l.logged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as logged_at
      from chancery_world.event e join chancery_world.logging l on e.seq between l.first_seq and l.last_seq
      order by e.seq`)
    return rows
  })

const read = (query: Query) =>
  chancery.read<{ data: Event[]; pagination: { total: number; pages: number } }>(`/events?${searchOf(query)}`)

test('any page over gaps is that of plain code over the whole log', async () => {
  assert.ok(log.length > 300, `${log.length}`)
  const ids = (pick: (event: LoggedEvent) => string[]) => [...new Set(log.flatMap(pick)), 'none']
  const some = (values: string[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
  const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary, weight: 1 })
  const time = fc
    .tuple(fc.constantFrom(...log.map(({ logged_at }) => logged_at)), fc.constantFrom(-1, 0, 1))
    .map(([logged, step]) => new Date(Date.parse(logged) + step).toISOString())
  const edges = gaps.flatMap(({ lastBefore, firstAfter }) => [lastBefore, firstAfter])
  const query: fc.Arbitrary<Query> = fc.record({
    type: rarely(some(['war.*', 'nation.founded', 'battle.fought', 'alliance.*'])),
    nation_id: rarely(some(ids(event => event.nation_ids))),
    alliance_id: rarely(some(ids(event => event.alliance_ids))),
    war_id: rarely(fc.constantFrom(...ids(event => (event.war_id === null ? [] : [event.war_id])))),
    since: rarely(time),
    until: rarely(time),
    after: fc.oneof(
      fc.constant(undefined),
      fc.constantFrom(...log.map(({ seq }) => seq)),
      fc
        .tuple(fc.constantFrom(...edges), fc.constantFrom(-2, -1, 0, 1, 2))
        .map(([edge, step]) => Math.max(0, edge + step)),
    ),
    page: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 100 })),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  const seen = { found: 0, expired: 0 }
  await fc.assert(
    fc.asyncProperty(query, async asked => {
      const expected = pageOf(log, asked, bounds())
      if (expected === 'cursor_expired') {
        seen.expired += 1
        assert.equal((await chancery.get(`/events?${searchOf(asked)}`)).status, 410)
        return
      }
      const { data, pagination } = await read(asked)
      assert.deepEqual({ seqs: data.map(({ seq }) => seq), total: pagination.total }, expected)
      assert.equal(pagination.pages, Math.ceil(expected.total / asked.limit))
      seen.found += data.length
    }),
    { numRuns: randomRuns(600) },
  )
  assert.ok(seen.found > 0, JSON.stringify(seen))
})

test('a page behind a gap costs what any page costs', async () => {
  const msOf = async (page: number, last: LoggedEvent | undefined) => {
    const startedAt = performance.now()
    const { data } = await read({ after: 0, page, limit: 100 })
    assert.equal(data.at(-1)?.id, `evt_${last?.seq}`)
    return performance.now() - startedAt
  }
  const pages = Math.ceil(log.length / 100)
  const behindMs = await msOf(pages, log.at(-1))
  // A look at every lost number would take minutes.
  assert.ok(behindMs < 1_000 + 20 * (await msOf(1, log[99])))
})

test('a stream from the beginning goes over every gap and misses nothing', async () => {
  const stream = await openStream(`${chancery.url}/api/v1/events/stream?after=0`)
  await stream.upToDate()
  assert.deepEqual(
    stream.seqs(),
    log.map(({ seq }) => seq),
  )
  stream.close()
})

test('a stream that resumes from a lost number gets an error; from the edges of a gap it continues', async () => {
  const wide = gaps.find(({ lastBefore, firstAfter }) => firstAfter - lastBefore === 5_001)
  assert.ok(wide)
  const resume = (id: number) =>
    openStream(`${chancery.url}/api/v1/events/stream`, { headers: { 'last-event-id': String(id) } })
  const lost = await resume(wide.lastBefore + 1)
  assert.equal(lost.status, 410)
  await lost.ended
  assert.match(lost.text(), /cursor_expired/)
  for (const edge of [wide.lastBefore, wide.firstAfter - 1]) {
    const stream = await resume(edge)
    await stream.upToDate()
    assert.deepEqual(
      stream.seqs(),
      log.map(({ seq }) => seq).filter(seq => seq > edge),
    )
    stream.close()
  }
})

test('a client that starts after a restore, before the first event, misses nothing when disconnected', async () => {
  const firstAfter = await leaveGap(chancery.databaseUrl, 50)
  gaps.push({ lastBefore: firstAfter - 51, firstAfter })
  const stream = await openStream(`${chancery.url}/api/v1/events/stream`)
  await stream.upToDate()
  stream.close()
  assert.equal(stream.lastId(), firstAfter - 1)
  await chancery.ingest([nation('after-the-gap')], { waits: false })
  const again = await openStream(`${chancery.url}/api/v1/events/stream?after=${stream.lastId()}`)
  await again.upToDate()
  assert.deepEqual(again.seqs(), [firstAfter])
  again.close()
})
