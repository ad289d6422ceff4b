import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bases } from '@chancery/contract'
import fc from 'fast-check'
import { alliance, nation, war } from '../ingest/facts.ts'
import { type Fact, patientTimings, startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import type { Event } from './cases.ts'
import { type Opening, openStream, type StreamReader } from './stream-reader.ts'
import { disaster, frameOf } from './stream-server.ts'

let chancery: TestServer
before(async () => {
  // Its heart does not beat, so that every byte is foreseen.
  chancery = await startTestServer(
    {},
    { timings: { ...patientTimings, streamTimings: { heartbeatMs: 1e12 } } },
  )
  const facts = [0, 1, 2, 3].map(number => nation(`n${number}`))
  await ingest([...facts, alliance('a0'), alliance('a1'), war('w0', 'n0', 'n1'), war('w1', 'n2', 'n3')], true)
})
after(() => chancery.close())

/** The whole log as `/events` tells it, and whether each was announced. Grows from run to run. */
const log: { event: Event; isNews: boolean }[] = []

async function ingest(facts: Fact[], isNews: boolean): Promise<void> {
  const { last_seq } = await chancery.ingest(facts, { announce: isNews, waits: false })
  while (log.length < Number(last_seq)) {
    const { data } = await chancery.read<{ data: Event[] }>(`/events?after=${log.length}&limit=100`)
    log.push(...data.map(event => ({ event, isNews })))
  }
}

interface Filter {
  type?: string | undefined
  nation_id?: string | undefined
  alliance_id?: string | undefined
  war_id?: string | undefined
}

/** By plain code. */
const passes = ({ type, nation_id, alliance_id, war_id }: Filter, event: Event): boolean =>
  (type === undefined || event.type === type || (type === 'war.*' && event.type.startsWith('war.'))) &&
  (nation_id === undefined || event.nation_ids.some(id => nation_id.split(',').includes(id))) &&
  (alliance_id === undefined || event.alliance_ids.includes(alliance_id)) &&
  (war_id === undefined || event.war_id === war_id)

interface Batch {
  count: number
  isNews: boolean
  seed: number
}

const factsOf = ({ count, seed }: Batch): Fact[] =>
  Array.from({ length: count }, (_, index) => {
    const number = seed + index
    return number % 5 === 0
      ? nation(`n-${log.length}-${index}`)
      : disaster(`n${number % 4}`, {
          nation_ids: number % 3 === 0 ? ['n0', 'n1'] : [`n${number % 4}`],
          alliance_ids: number % 2 === 0 ? ['a0'] : ['a0', 'a1'],
          war_id: number % 7 === 0 ? 'w1' : null,
          summary: 'é'.repeat(number % 11),
        })
  })

/** One connection: what is told while it is open, and after how many bytes it breaks; undefined: when all is read. */
interface Visit {
  /** While nobody listens. */
  before: Batch[]
  during: Batch[]
  cutAtBytes: number | undefined
  resumesBy: 'last-event-id' | 'after' | 'both'
}

const batch: fc.Arbitrary<Batch> = fc.record({
  count: fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 6 }), weight: 8 },
    { arbitrary: fc.integer({ min: 100, max: 700 }), weight: 1 },
  ),
  isNews: fc.oneof({ arbitrary: fc.constant(true), weight: 2 }, { arbitrary: fc.constant(false), weight: 1 }),
  seed: fc.nat({ max: 1_000 }),
})
const visit: fc.Arbitrary<Visit> = fc.record({
  before: fc.array(batch, { maxLength: 2 }),
  during: fc.array(batch, { maxLength: 4 }),
  cutAtBytes: fc.option(fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 3_000 }), fc.nat({ max: 400_000 })), {
    nil: undefined,
  }),
  resumesBy: fc.constantFrom('last-event-id', 'after', 'both'),
})
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary, weight: 1 })
const filter: fc.Arbitrary<Filter> = fc.record({
  type: rarely(fc.constantFrom('game.disaster', 'nation.founded', 'war.*')),
  nation_id: rarely(fc.constantFrom('n0', 'n1,n2', 'nobody')),
  alliance_id: rarely(fc.constantFrom('a0', 'a1')),
  war_id: rarely(fc.constantFrom('w1', 'none')),
})

/** What `/events` says of a span, oldest first. */
async function pagesOf(filter: Filter, after: number, end: number): Promise<Event[]> {
  const events: Event[] = []
  for (let cursor = after; ; ) {
    const search = searchOf({ ...filter, after: String(cursor), limit: '100' })
    const { data } = await chancery.read<{ data: Event[] }>(`/events?${search}`)
    events.push(...data.filter(({ seq }) => seq <= end))
    const last = data.at(-1)
    if (!last) return events
    cursor = last.seq
  }
}

const searchOf = (parts: Record<string, string | undefined>) =>
  new URLSearchParams(
    Object.entries(parts).flatMap(([name, text]): [string, string][] =>
      text === undefined ? [] : [[name, text]],
    ),
  )

function open(filter: Filter, cursor: number | undefined, { cutAtBytes, resumesBy }: Visit) {
  const opening: Opening = cutAtBytes === undefined ? {} : { cutAtBytes }
  const after = resumesBy === 'after' ? cursor : resumesBy === 'both' ? 0 : undefined
  if (cursor !== undefined && resumesBy !== 'after') opening.headers = { 'last-event-id': String(cursor) }
  const search = searchOf({ ...filter, after: cursor === undefined ? undefined : after?.toString() })
  return openStream(`${chancery.url}${bases.mirror}/events/stream?${search}`, opening)
}

/** Waits until a stream has said what it should, or more; a cut one says less. */
async function untilSaid(stream: StreamReader, expected: string): Promise<void> {
  const start = performance.now()
  const bytes = Buffer.byteLength(expected)
  while (Buffer.byteLength(stream.text()) < bytes) {
    const isOver = await Promise.race([stream.ended, new Promise(resolve => setTimeout(resolve, 2))])
    if (isOver) return
    if (performance.now() - start > 60_000)
      assert.fail(
        `the stream stands still:\n…${stream.text().slice(-500)}\ninstead of\n…${expected.slice(-500)}`,
      )
  }
}

test('however the log grows and the connection breaks, a client that resumes gets every event once', async () => {
  let told = 0
  let cuts = 0
  let withheld = 0
  const property = fc.asyncProperty(
    filter,
    fc.array(visit, { minLength: 1, maxLength: 6 }),
    fc.option(fc.nat({ max: 2_000 }), { nil: undefined }),
    async (wanted, visits, back) => {
      /** Undefined: from now on. */
      let cursor = back === undefined ? undefined : Math.max(0, log.length - back)
      const begin = cursor ?? log.length
      const heard: Event[] = []
      const missed = new Set<number>()
      let end = begin
      // The last one is whole: what is missing then is missing for ever.
      for (const step of [
        ...visits,
        { before: [], during: [], cutAtBytes: undefined, resumesBy: 'after' as const },
      ]) {
        if (cursor !== undefined) for (const batch of step.before) await ingest(factsOf(batch), batch.isNews)
        const opened: number = log.length
        const from: number = cursor ?? opened
        const stream = await open(wanted, cursor, step)
        assert.equal(stream.status, 200)
        for (const batch of step.during) await ingest(factsOf(batch), batch.isNews)
        end = log.length
        const frames = (span: typeof log) =>
          span.flatMap(({ event }) => (passes(wanted, event) ? [frameOf(event)] : [])).join('')
        const expected = [
          `retry: 3000\n\nid: ${from}\n\n`,
          frames(log.slice(from, opened)),
          `: up to date\nid: ${opened}\n\n`,
          frames(log.slice(opened).filter(({ isNews }) => isNews)),
        ].join('')
        await untilSaid(stream, expected)
        stream.close()
        const bytes = Buffer.from(expected)
        const cutAt = step.cutAtBytes ?? bytes.length
        if (cutAt < bytes.length) cuts += 1
        const said = new TextDecoder().decode(bytes.subarray(0, cutAt), { stream: true })
        assert.equal(stream.text(), said)

        heard.push(...stream.data().map(data => JSON.parse(data) as Event))
        const next: number | undefined = stream.lastId() ?? cursor
        // Of history that came while it listened a reader hears nothing, unless it comes back from before it.
        for (const { event, isNews } of log.slice(opened, next)) if (!isNews) missed.add(event.seq)
        cursor = next
        if (cursor === undefined) return
      }
      const expected = (await pagesOf(wanted, begin, end)).filter(({ seq }) => !missed.has(seq))
      assert.deepEqual(heard, expected)
      told += heard.length
      withheld += missed.size
    },
  )
  // Chance decides how much of each there is; without any, nothing would have been tried.
  for (let runs = 0; runs < randomRuns(40) || told < 50 || cuts < 2 || withheld === 0; runs += 4) {
    assert.ok(runs < 400, `${told} told, ${cuts} cuts, ${withheld} withheld`)
    await fc.assert(property, { numRuns: 4, endOnFailure: true })
  }
})
