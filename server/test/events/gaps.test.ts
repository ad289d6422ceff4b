import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, linesOf } from '@chancery/simulator'
import fc from 'fast-check'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { assertPages, type LoggedEvent, readLog, readPage } from './log-model.ts'
import { openStream } from './stream-reader.ts'

interface Gap {
  lastBefore: number
  firstAfter: number
}

const chancery = closeAfter(await startTestServer())
const gaps: Gap[] = []
/** Numbers lost in each gap: one, some, and as many as a restore after a long time skips. */
const widths = [1, 2, 7, 300, 5_000, 1_000_000_000_000]

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
const log = await readLog(chancery.databaseUrl)

/** Skips event numbers, as a restore does. Returns the next number. */
async function gap(width: number): Promise<number> {
  const { rows } = await withConnection(chancery.databaseUrl, client =>
    client.query<{ first: string }>(
      `with before as (select seq from chancery_world.pulse),
        gap as (insert into chancery_world.log_gap (last_before, first_after) select seq, seq + $1 + 1 from before returning first_after)
      update chancery_world.pulse p set seq = g.first_after - 1, world_version = world_version + 1
      from gap g returning g.first_after as first`,
      [width],
    ),
  )
  const firstAfter = Number(rows[0]?.first)
  gaps.push({ lastBefore: firstAfter - width - 1, firstAfter })
  return firstAfter
}

const bounds = () => ({
  last: Math.max(log.at(-1)?.seq ?? 0, ...gaps.map(({ firstAfter }) => firstAfter - 1)),
  isLost: (seq: number) =>
    seq !== 0 && gaps.some(({ lastBefore, firstAfter }) => seq > lastBefore && seq < firstAfter - 1),
})

test('any page over gaps is the same as from a filter over the whole log', async () => {
  assert.ok(log.length > 300, `${log.length}`)
  const edges = gaps.flatMap(({ lastBefore, firstAfter }) => [lastBefore, firstAfter])
  const after = fc.oneof(
    fc.constant(undefined),
    fc.constantFrom(...log.map(({ seq }) => seq)),
    fc
      .tuple(fc.constantFrom(...edges), fc.constantFrom(-2, -1, 0, 1, 2))
      .map(([edge, step]) => Math.max(0, edge + step)),
  )
  const types = ['war.*', 'nation.founded', 'battle.fought', 'alliance.*']
  await assertPages(chancery, log, { types, after, bounds: bounds(), numRuns: randomRuns(600) })
})

test('a page after a gap takes no longer than another page', async () => {
  const msOf = async (page: number, last: LoggedEvent | undefined) => {
    const startedAt = performance.now()
    const { data } = await readPage(chancery, { after: 0, page, limit: 100 })
    assert.equal(data.at(-1)?.id, `evt_${last?.seq}`)
    return performance.now() - startedAt
  }
  const pages = Math.ceil(log.length / 100)
  const behindMs = await msOf(pages, log.at(-1))
  // Reading every lost number would take minutes.
  assert.ok(behindMs < 1_000 + 20 * (await msOf(1, log[99])))
})

test('a stream from the beginning passes every gap and misses no event', async () => {
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

test('a client that starts after a restore, before the first event, misses no event when disconnected', async () => {
  const firstAfter = await gap(50)
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
