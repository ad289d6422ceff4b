import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import type { Event } from '../events/log-model.ts'
import { pluck } from '../support/pluck.ts'
import {
  makeServeDir,
  postmasterOf,
  removeServeDir,
  type ServeProcess,
  serve,
} from '../support/serve-process.ts'
import type { Outcome } from '../support/test-server.ts'
import { alliance, battle, commit, lines, member, nation, outcomesOf, put, stream, war } from './facts.ts'

const kills = 8
const batchCount = 260

let dir: string
let served: ServeProcess
/** The outcomes of applied batches. */
const acknowledged = new Map<string, Outcome>()

before(async () => {
  dir = makeServeDir()
  served = await serve(dir)
})
after(async () => {
  served.child.kill('SIGTERM')
  await served.ended
  await removeServeDir(dir)
})

/** Each batch founds a nation, joins an alliance, declares a war and fights a battle. */
const batches = Array.from({ length: batchCount }, (_, index) => {
  const id = `n${index}`
  const foe = `n${Math.max(0, index - 1)}`
  return lines(
    ...(index === 0 ? [0, 1, 2].map(number => alliance(`a${number}`)) : []),
    nation(id, { national_score: index, motto: 'x'.repeat(200) }),
    member(id, `a${index % 3}`),
    ...(index === 0
      ? []
      : [
          war(`w${index}`, id, foe),
          battle(`b${index}`, `w${index}`, id, foe, { losses: { attacker: { tanks: index } } }),
        ]),
    put('nation', { id: 'n0', city_count: index }),
    commit(`b${index}`),
  )
})
/** The number of events of each batch. */
const eventsOf = (index: number) => (index === 0 ? 5 : 4)

/** Sends all batches, collects the acknowledged ones, and calls `onOutcome` after each outcome. Ends with the connection. */
async function sendAll(onOutcome: (outcome: Outcome) => void): Promise<void> {
  try {
    const response = await stream(served, Readable.from(batches.map(batch => Buffer.from(batch))))
    for await (const line of createInterface({ input: Readable.from(response.body ?? []) })) {
      const outcome = outcomesOf(line)[0]
      assert.ok(outcome)
      if (outcome.status === 'applied' && outcome.batch) {
        assert.ok(!acknowledged.has(outcome.batch), `${outcome.batch} is applied twice`)
        acknowledged.set(outcome.batch, outcome)
      }
      onOutcome(outcome)
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
  }
}

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`${served.url}/api/v1${path}`)
  assert.equal(response.status, 200, path)
  return (await response.json()) as T
}

async function assertWhole(appliedMin: number): Promise<void> {
  const events: Event[] = []
  for (;;) {
    const { data } = await read<{ data: Event[] }>(`/events?limit=100&after=${events.length}`)
    if (data.length === 0) break
    events.push(...data)
  }
  assert.deepEqual(
    pluck(events, 'seq'),
    events.map((_, index) => index + 1),
  )
  // Batches arrive in order, so a prefix of them is applied, each whole.
  const applied = events.filter(({ type }) => type === 'nation.founded').length
  assert.ok(applied >= appliedMin, `${applied} batches are there, ${appliedMin} were acknowledged`)
  assert.equal(
    events.length,
    Array.from({ length: applied }, (_, index) => eventsOf(index)).reduce((sum, count) => sum + count, 0),
  )
  const founded = events
    .filter(({ type }) => type === 'nation.founded')
    .map(({ nation_ids }) => nation_ids[0])
  assert.deepEqual(
    founded,
    Array.from({ length: applied }, (_, index) => `n${index}`),
  )
  const { data: last } = await read<{ data: { city_count: number } }>('/nations/n0')
  assert.equal(last.city_count, applied - 1)
  for (const number of [0, 1, 2]) {
    const members = Array.from({ length: applied }, (_, index) => index).filter(index => index % 3 === number)
    const { data } = await read<{ data: { member_count: number; total_score: number; wars: unknown } }>(
      `/alliances/a${number}`,
    )
    assert.deepEqual(
      [data.member_count, data.total_score],
      [members.length, members.reduce((sum, index) => sum + index, 0)],
    )
  }
  const { data: war } = await read<{ data: { battles_count: number; losses: unknown } }>(
    `/wars/w${applied - 1}`,
  )
  assert.deepEqual([war.battles_count, war.losses], [1, { attacker: { tanks: applied - 1 }, defender: {} }])
}

test(`a server killed ${kills} times during a stream loses nothing, and applies each batch once and whole`, async () => {
  for (let kill = 0; kill < kills; kill += 1) {
    const target = acknowledged.size + 2 + Math.floor(Math.random() * 20)
    const delayMs = Math.random() * 12
    // Every third time the database is killed too, as in a power failure.
    const isPowerFailure = kill % 3 === 2
    let isKilled = false
    await sendAll(() => {
      if (isKilled || acknowledged.size < target) return
      isKilled = true
      setTimeout(() => {
        const postmaster = postmasterOf(dir)
        if (isPowerFailure && postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
        served.child.kill('SIGKILL')
      }, delayMs)
    })
    await served.ended
    assert.ok(isKilled && acknowledged.size < batchCount, 'the stream ended before the kill')
    served = await serve(dir)
    await assertWhole(acknowledged.size)
  }
})

test('a stream that is sent again is applied once, and each batch has its first outcome', async () => {
  const statuses = new Set<string>()
  await sendAll(({ batch, status, last_seq, events }) => {
    statuses.add(status)
    const known = acknowledged.get(batch ?? '')
    if (known) assert.deepEqual([last_seq, events], [known.last_seq, known.events])
  })
  assert.deepEqual([...statuses].sort(), ['applied', 'duplicate'])
  await assertWhole(batchCount)
})

test('a server whose database is killed exits with a message, and nothing acknowledged is lost', async () => {
  const more = Array.from({ length: 200 }, (_, index) => lines(nation(`p${index}`), commit(`p${index}`)))
  const applied: string[] = []
  let isKilled = false
  try {
    const response = await stream(served, Readable.from(more.map(batch => Buffer.from(batch))))
    for await (const line of createInterface({ input: Readable.from(response.body ?? []) })) {
      const { batch, status } = outcomesOf(line)[0] ?? {}
      if (status === 'applied' && batch) applied.push(batch)
      else assert.equal(status, 'unavailable')
      if (applied.length < 20 || isKilled) continue
      isKilled = true
      const postmaster = postmasterOf(dir)
      assert.ok(postmaster)
      process.kill(postmaster, 'SIGKILL')
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
  }
  assert.match(await served.ended, /the bundled PostgreSQL exited/)
  assert.ok(applied.length >= 20 && applied.length < 200, `${applied.length}`)
  served = await serve(dir)
  for (const id of applied) assert.equal((await fetch(`${served.url}/api/v1/nations/${id}`)).status, 200, id)
  const again = outcomesOf(
    await (await stream(served, Readable.from(more.map(batch => Buffer.from(batch))))).text(),
  )
  const statuses = again.map(({ status }) => status)
  assert.deepEqual(
    statuses.slice(0, applied.length),
    applied.map(() => 'duplicate'),
  )
  assert.ok(statuses.every(status => status === 'applied' || status === 'duplicate'))
  const { pagination } = await read<{ pagination: { total: number } }>('/events?type=nation.founded')
  assert.equal(pagination.total, batchCount + 200)
})
