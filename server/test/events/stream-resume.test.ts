import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bases } from '@chancery/contract'
import fc from 'fast-check'
import { alliance, nation, war } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, longTimeouts, startTestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { type Event, type Filter, isSelected, rarely, readEvents, searchOf } from './log-model.ts'
import { type Opening, openStream, type StreamReader } from './stream-reader.ts'
import { disaster, frameOf } from './stream-server.ts'

// Without heartbeats every byte is predictable.
const timings = { ...longTimeouts, streamTimings: { heartbeatMs: 1e12 } }
const chancery = closeAfter(await startTestServer({}, { timings }))

/** The whole log from `/events`, and whether each event was announced. Grows from run to run. */
const log: { event: Event; isNews: boolean }[] = []

async function ingest(facts: Fact[], isNews: boolean): Promise<void> {
  const { last_seq } = await chancery.ingest(facts, { announce: isNews, waits: false })
  const events = await readEvents(chancery, '', log.length)
  assert.equal(events.at(-1)?.seq, last_seq)
  log.push(...events.map(event => ({ event, isNews })))
}

await ingest(
  [
    ...[0, 1, 2, 3].map(number => nation(`n${number}`)),
    ...[alliance('a0'), alliance('a1'), war('w0', 'n0', 'n1'), war('w1', 'n2', 'n3')],
  ],
  true,
)

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

/** One connection: the facts ingested while it is open, and after how many bytes it breaks; undefined: after all of them. */
interface Connection {
  /** While disconnected. */
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
const connection: fc.Arbitrary<Connection> = fc.record({
  before: fc.array(batch, { maxLength: 2 }),
  during: fc.array(batch, { maxLength: 4 }),
  cutAtBytes: fc.option(fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 3_000 }), fc.nat({ max: 400_000 })), {
    nil: undefined,
  }),
  resumesBy: fc.constantFrom('last-event-id', 'after', 'both'),
})
const filter: fc.Arbitrary<Filter> = fc.record({
  type: rarely(fc.constantFrom(['game.disaster'], ['nation.founded'], ['war.*'])),
  nation_id: rarely(fc.constantFrom(['n0'], ['n1', 'n2'], ['none'])),
  alliance_id: rarely(fc.constantFrom(['a0'], ['a1'])),
  war_id: rarely(fc.constantFrom('w1', 'none')),
})

function open(filter: Filter, cursor: number | undefined, { cutAtBytes, resumesBy }: Connection) {
  const opening: Opening = cutAtBytes === undefined ? {} : { cutAtBytes }
  const after = resumesBy === 'after' ? cursor : resumesBy === 'both' ? 0 : undefined
  if (cursor !== undefined && resumesBy !== 'after') opening.headers = { 'last-event-id': String(cursor) }
  const search = searchOf({ ...filter, after: cursor === undefined ? undefined : after?.toString() })
  return openStream(`${chancery.url}${bases.mirror}/events/stream?${search}`, opening)
}

/** Waits until a stream has sent as many bytes as expected, or has ended. */
async function untilReceived(stream: StreamReader, expected: string): Promise<void> {
  const start = performance.now()
  const bytes = Buffer.byteLength(expected)
  while (Buffer.byteLength(stream.text()) < bytes) {
    const isOver = await Promise.race([stream.ended, new Promise(resolve => setTimeout(resolve, 2))])
    if (isOver) return
    if (performance.now() - start > 60_000)
      assert.fail(`the stream stalled:\n…${stream.text().slice(-500)}\ninstead of\n…${expected.slice(-500)}`)
  }
}

test('a client that resumes gets every event once, however the log grows and the connection breaks', async () => {
  let delivered = 0
  let cuts = 0
  let withheld = 0
  const property = fc.asyncProperty(
    filter,
    fc.array(connection, { minLength: 1, maxLength: 6 }),
    fc.option(fc.nat({ max: 2_000 }), { nil: undefined }),
    async (wanted, connections, back) => {
      /** Undefined: only new events. */
      let cursor = back === undefined ? undefined : Math.max(0, log.length - back)
      const begin = cursor ?? log.length
      const received: Event[] = []
      const missed = new Set<number>()
      let end = begin
      // The last connection is not broken, so that every event must be there at its end.
      for (const step of [
        ...connections,
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
          span.flatMap(({ event }) => (isSelected(wanted, event) ? [frameOf(event)] : [])).join('')
        const expected = [
          `retry: 3000\n\nid: ${from}\n\n`,
          frames(log.slice(from, opened)),
          `: up to date\nid: ${opened}\n\n`,
          frames(log.slice(opened).filter(({ isNews }) => isNews)),
        ].join('')
        await untilReceived(stream, expected)
        stream.close()
        const bytes = Buffer.from(expected)
        const cutAt = step.cutAtBytes ?? bytes.length
        if (cutAt < bytes.length) cuts += 1
        const sent = new TextDecoder().decode(bytes.subarray(0, cutAt), { stream: true })
        assert.equal(stream.text(), sent)

        received.push(...stream.data().map(data => JSON.parse(data) as Event))
        const next: number | undefined = stream.lastId() ?? cursor
        // A client does not get history ingested while it is connected, unless it resumes from before it.
        for (const { event, isNews } of log.slice(opened, next)) if (!isNews) missed.add(event.seq)
        cursor = next
        if (cursor === undefined) return
      }
      const events = await readEvents(chancery, searchOf(wanted), begin)
      assert.deepEqual(
        received,
        events.filter(({ seq }) => seq <= end && !missed.has(seq)),
      )
      delivered += received.length
      withheld += missed.size
    },
  )
  // Continue until the random runs have covered each situation.
  for (let runs = 0; runs < randomRuns(40) || delivered < 50 || cuts < 2 || withheld === 0; runs += 4) {
    assert.ok(runs < 400, `${delivered} delivered, ${cuts} cuts, ${withheld} withheld`)
    await fc.assert(property, { numRuns: 4, endOnFailure: true })
  }
})
