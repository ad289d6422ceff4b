import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnresponsiveError } from '../../src/store/database-errors.ts'
import type { PublicPools } from '../../src/store/pools.ts'
import type { Heartbeat } from '../../src/store/pulse.ts'
import { createReplicaReads } from '../../src/store/reads.ts'
import { createPrimaryProgress, type Replica } from '../../src/store/replica.ts'
import { until } from '../support/until.ts'

const heartbeat: Heartbeat = {
  seq: 0,
  firstSeq: 1,
  changeSeq: 0,
  changeFloor: 0,
  worldVersion: 1,
  accessVersion: 0,
  worldChangedAt: null,
  redactionVersion: 0,
  serverStartedAt: '2026-01-01T00:00:00Z',
  worldVersionOffset: 0,
  walBytes: 100,
}
const pools = {} as PublicPools
const waitMs = 200

/** Reads from two replicas, whose state the test sets. */
function openReads() {
  const primary = { beat: heartbeat as Heartbeat | undefined }
  const states = ['a', 'b'].map(() => ({ version: 1, problem: undefined as string | undefined }))
  const replicas = states.map(
    (state, index): Replica => ({
      name: `replica ${index + 1}`,
      pools,
      problem: () => state.problem,
      version: () => state.version,
      lagMs: () => 0,
      tick: () => undefined,
      close: async () => undefined,
    }),
  )
  const changes: string[] = []
  const reads = createReplicaReads({
    pulse: { current: () => primary.beat },
    primary: pools,
    replicas,
    waitMs,
    onChange: ({ name }, problem) => changes.push(`${name}: ${problem ?? 'read'}`),
  })
  const untilServer = (server: number) =>
    until(() => reads.choose().server === server, `server ${server} is read`)
  const [first, second] = states as [(typeof states)[0], (typeof states)[0]]
  return { reads, primary, first, second, changes, untilServer }
}

test('a replica is read once it was close enough for a while, then the next one, then the primary', async () => {
  const { reads, first, second, changes, untilServer } = openReads()
  assert.equal(reads.choose().server, 0)
  await untilServer(1)
  first.problem = 'lags'
  assert.equal(reads.choose().server, 2)
  second.problem = 'does not respond'
  assert.equal(reads.choose().server, 0)
  first.problem = undefined
  assert.equal(reads.choose().server, 0, 'it has to be close for a while again')
  await untilServer(1)
  assert.deepEqual(changes, [
    'replica 1: read',
    'replica 1: lags',
    'replica 2: read',
    'replica 2: does not respond',
    'replica 1: read',
  ])
})

test('the version is that of the server which is read, and none without the primary', async () => {
  const { reads, primary, first, untilServer } = openReads()
  await untilServer(1)
  primary.beat = { ...heartbeat, worldVersion: 3 }
  first.version = 2
  assert.deepEqual(reads.choose(), { server: 1, version: 2 })
  assert.equal(reads.choose(), reads.choose(), 'the same object, which costs nothing')
  primary.beat = undefined
  assert.deepEqual(reads.choose(), { server: 0, version: undefined })
})

test('a replica that is behind the last response of the primary is read much later only', async () => {
  const { reads, primary, first, second, untilServer } = openReads()
  primary.beat = { ...heartbeat, worldVersion: 2 }
  second.problem = 'lags'
  assert.deepEqual(reads.choose(), { server: 0, version: 2 })
  await sleep(1.5 * waitMs)
  assert.deepEqual(reads.choose(), { server: 0, version: 2 })
  first.version = 2
  assert.deepEqual(reads.choose(), { server: 1, version: 2 })

  first.problem = 'lags'
  reads.choose()
  Object.assign(first, { problem: undefined, version: 1 })
  const startedAt = performance.now()
  await untilServer(1)
  assert.ok(performance.now() - startedAt > 2.5 * waitMs)
})

test('a read that a replica cannot serve is served by the primary, and a replica that does not respond is left', async () => {
  const { reads, untilServer } = openReads()
  await untilServer(1)
  const fail = (error: Error) => async (server: number) => {
    if (server > 0) throw error
    return server
  }
  const withCode = (code: string) => Object.assign(new Error(code), { code })
  assert.equal(await reads.run(1, async server => server), 1)
  for (const error of [new Error('not found'), withCode('40001'), withCode('42P01')])
    assert.equal(await reads.run(1, fail(error)), 0)
  const isBusy = /timeout exceeded when trying to connect/
  for (let count = 0; count < 5; count += 1)
    await assert.rejects(reads.run(1, fail(new Error('timeout exceeded when trying to connect'))), isBusy)
  assert.equal(reads.choose().server, 1)
  assert.equal(await reads.run(1, fail(new DatabaseUnresponsiveError())), 0)
  assert.equal(reads.choose().server, 2)
})

test('a replica that is too slow three times in a row is left, and the primary is not requested as well', async () => {
  const { reads, untilServer } = openReads()
  await untilServer(1)
  const slow = () => reads.run(1, () => Promise.reject(Object.assign(new Error('slow'), { code: '57014' })))
  const succeed = () => reads.run(1, async () => 'read')
  for (const _ of [1, 2]) await assert.rejects(slow(), /slow/)
  await succeed()
  for (const _ of [1, 2]) await assert.rejects(slow(), /slow/)
  assert.equal(reads.choose().server, 1)
  await assert.rejects(slow(), /slow/)
  assert.equal(reads.choose().server, 2)
})

test('the lag of a replica is the age of the state of the primary that it has reached', () => {
  const progress = createPrimaryProgress()
  for (const [sentAt, walBytes] of [
    [1_000, 100],
    [1_200, 100],
    [1_400, 150],
  ] as const)
    progress.record({ ...heartbeat, walBytes }, sentAt)
  assert.equal(progress.reachedAt(99), undefined)
  assert.equal(progress.reachedAt(100), 1_200)
  assert.equal(progress.reachedAt(149), 1_200)
  assert.equal(progress.reachedAt(1_000), 1_400)
  assert.equal(progress.since(), 1_000)
  progress.record({ ...heartbeat, serverStartedAt: '2026-02-01T00:00:00Z', walBytes: 120 }, 1_600)
  assert.equal(progress.reachedAt(110), undefined, 'positions in the log of another server mean nothing')
  assert.equal(progress.reachedAt(120), 1_600)
})
