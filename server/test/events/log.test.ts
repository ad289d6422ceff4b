import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { createWorld, linesOf } from '@chancery/simulator'
import fc from 'fast-check'
import { commit, lines, nation, put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { assertPages, pageOf, rarely, readLog, readPage } from './log-model.ts'

const chancery = closeAfter(await startTestServer())
const types = Object.keys(contractFor(demoProfile).eventKinds)

const world = createWorld({ nations: 40, days: 30, seed: 11, endsAt: '2026-05-27T18:00:00Z' })
// Rejected batches in between, and a concurrent stream: neither leaves a gap.
const history = [...world.history()].flatMap((batch, index) => [
  linesOf(batch),
  lines(nation(`rejected-${index}`, index % 2 ? { rank: 1 } : { id: `x${index}` }), commit(`r-${index}`)),
  lines(put('alliance_member', { nation_id: 'none', alliance_id: 'none' }), commit(`q-${index}`)),
])
const others = Array.from({ length: 40 }, (_, index) => lines(nation(`o${index}`), commit(`o-${index}`)))
const sent = await Promise.all([chancery.send(history.join('')), chancery.send(others.join(''))])
const outcomes = sent.flat()
const log = await readLog(chancery.databaseUrl)

test('numbers run from 1 without a gap, over rejected and concurrent batches', () => {
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
  for (const { type, kind_number } of log) {
    counts.set(type, (counts.get(type) ?? 0) + 1)
    assert.equal(kind_number, counts.get(type))
  }
  assert.ok(counts.size > 10, `${[...counts.keys()]}`)
})

test('the time of logging never decreases', () => {
  const times = log.map(({ logged_at }) => logged_at)
  assert.deepEqual(times, times.toSorted())
})

test('any page of any filter is the same as from a filter over the whole log', async () => {
  const families = [...new Set(types.map(type => `${type.split('.')[0]}.*`))]
  const after = rarely(
    fc.oneof(
      { arbitrary: fc.nat({ max: log.length }), weight: 9 },
      { arbitrary: fc.constantFrom(log.length + 1, log.length * 2), weight: 1 },
    ),
  )
  await assertPages(chancery, log, { types: [...types, ...families], after, numRuns: randomRuns(800) })
})

test('following with `after` in pages of any size returns the whole log once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 30, max: 100 }), { minLength: 3, maxLength: 9 }),
      fc.option(fc.constantFrom('war.*', 'alliance.member_joined'), { nil: undefined }),
      async (sizes, type) => {
        const filter = type === undefined ? {} : { type: [type] }
        const seqs: number[] = []
        for (let turn = 0; ; turn += 1) {
          const limit = sizes[turn % sizes.length] ?? 1
          const { data } = await readPage(chancery, { ...filter, after: seqs.at(-1) ?? 0, page: 1, limit })
          if (data.length === 0) break
          seqs.push(...data.map(({ seq }) => seq))
          assert.ok(seqs.length <= log.length, 'an event is repeated')
        }
        const wanted = pageOf(log, { ...filter, after: 0, page: 1, limit: log.length })
        assert.deepEqual(wanted, { seqs, total: seqs.length })
      },
    ),
    { numRuns: randomRuns(6) },
  )
})

test('a cursor at the end returns later events, and one beyond the end has expired', async () => {
  const last = log.length
  assert.deepEqual((await readPage(chancery, { after: last, page: 1, limit: 10 })).data, [])
  assert.equal((await chancery.get(`/events?after=${last + 1}`)).status, 410)
  await chancery.ingest([nation('one-more')], { waits: false })
  const { data } = await readPage(chancery, { after: last, page: 1, limit: 10 })
  assert.deepEqual(
    data.map(({ seq, type }) => [seq, type]),
    [[last + 1, 'nation.founded']],
  )
})

test('unannounced history is in the log', async () => {
  const { last_seq } = await chancery.ingest([nation('history')], { waits: false, announce: false })
  const { data } = await readPage(chancery, { nation_id: ['history'], page: 1, limit: 10 })
  assert.deepEqual(
    data.map(({ seq }) => seq),
    [last_seq],
  )
})
