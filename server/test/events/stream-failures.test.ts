import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { createItemSerializer } from '../../src/disclosure/disclosure.ts'
import { createTail } from '../../src/events/event-stream.ts'
import { createRevocationWatcher, onAccessChange } from '../../src/http/revocation-watcher.ts'
import type { Database } from '../../src/store/database.ts'
import type { Heartbeat, Pulse } from '../../src/store/pulse.ts'
import { nation } from '../ingest/facts.ts'
import { createTestPools } from '../support/pools.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'

/** A pulse whose heartbeats are sent by the test. */
function createManualPulse() {
  const listeners = new Set<(beat: Heartbeat) => void>()
  const pulse: Pick<Pulse, 'onChange' | 'onServerChange'> = {
    onServerChange: () => () => undefined,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const beat = (changes: Partial<Heartbeat>) => {
    const whole = {
      seq: 0,
      firstSeq: 1,
      changeSeq: 0,
      changeFloor: 0,
      worldVersion: 0,
      accessVersion: 0,
      worldChangedAt: null,
      redactionVersion: 0,
      serverStartedAt: '2026-01-01T00:00:00Z',
      worldVersionOffset: 0,
      walBytes: null,
      ...changes,
    }
    for (const listener of listeners) listener(whole)
  }
  return { pulse, beat }
}

test('events that cannot be read at first are read later, without another heartbeat', async t => {
  const chancery = await startTestServer()
  const pools = createTestPools({ connectionString: chancery.databaseUrl })
  t.after(async () => {
    await pools.close()
    await chancery.close()
  })
  const { last_seq } = await chancery.ingest([nation('n1'), nation('n2')], { waits: false })
  let failures = 3
  const flaky: Database = {
    first: pools.public.first,
    async rows(statement) {
      failures -= 1
      if (failures >= 0) throw new Error('unavailable')
      return pools.public.rows(statement)
    },
  }
  const { pulse, beat } = createManualPulse()
  const write = createItemSerializer(contractFor(demoProfile), 'event')
  const tail = createTail({ db: flaky, pulse, write, onDelivered: () => {} })
  let written = ''
  const ignore = () => {}
  const outlet = {
    hasRoom: true,
    write: (text: unknown) => (written += String(text)),
    finish: ignore,
    expire: ignore,
  }
  const stream = tail.openStream(outlet, { after: 0, backlogEnd: 0, untilSeq: undefined }, {} as never)
  stream.pump()
  beat({ seq: Number(last_seq) })
  await until(() => written.includes(`id: ${last_seq}\ndata: `), 'they are delivered')
  assert.ok(failures < 0)
  stream.close()
})

test('a stream whose next events have expired ends, and one that has read what expires does not', async () => {
  const { pulse, beat } = createManualPulse()
  const none: Database = { first: async () => undefined, rows: async () => [] }
  const write = createItemSerializer(contractFor(demoProfile), 'event')
  const tail = createTail({ db: none, pulse, write, onDelivered: () => {} })
  const expired: number[] = []
  // The clients read nothing, so that nothing is delivered.
  const open = (after: number) =>
    tail.openStream(
      { hasRoom: true, write: () => {}, finish: () => {}, expire: () => expired.push(after) },
      { after, backlogEnd: after, untilSeq: undefined },
      {} as never,
    )
  beat({ seq: 9 })
  const streams = [open(8), open(9)]
  beat({ seq: 9, firstSeq: 10 })
  await until(() => expired.length > 0, 'a stream has ended')
  assert.deepEqual(expired, [8])
  for (const stream of streams) stream.close()
})

test('keys that could not be verified are verified until the database responds, and so is a key that comes into use', async () => {
  const queries: string[][] = []
  const invalid: string[] = []
  const { pulse, beat } = createManualPulse()
  const watcher = createRevocationWatcher({
    async findValidIds(ids) {
      queries.push([...ids])
      if (queries.length < 3) throw new Error('unavailable')
      return new Set(ids.filter(id => id !== 'revoked'))
    },
    subscribe: onAccessChange(pulse),
  })
  for (const id of ['good', 'revoked']) watcher.watch(id, () => invalid.push(id))
  beat({ accessVersion: 2 })
  await until(() => invalid.length > 0, 'the keys are verified')
  assert.deepEqual(invalid, ['revoked'])
  assert.equal(queries.length, 3)
  beat({ accessVersion: 2, seq: 5 })
  assert.equal(queries.length, 3, 'an event does not verify keys')
  watcher.verify('new')
  await until(() => queries.length === 4, 'the new key is verified')
  assert.deepEqual(queries[3], ['new'])
  watcher.close()
})
