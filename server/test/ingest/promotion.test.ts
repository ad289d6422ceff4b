import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sequenceFloorAt } from '../../src/ingest/continue-numbers.ts'
import { openStream } from '../events/stream-reader.ts'
import { useTestServer } from '../support/fixture.ts'
import { nation } from './facts.ts'

const chancery = useTestServer({}, { facts: [nation('n1'), nation('n2')] })

const numbers = async () => {
  const [found] = await chancery.query<{ seq: number; change_seq: number }>(
    'select seq::float8, change_seq::float8 from chancery_world.pulse',
  )
  assert.ok(found)
  return found
}
const statusOf = async (path: string) => (await chancery.get(path)).status

test('a restart of the database server changes no numbers', async () => {
  await chancery.query(`update chancery_world.pulse set server_started_at = '2020-01-01'`)
  const before = await numbers()
  const { events } = await chancery.ingest([nation('n3')])
  assert.equal((await numbers()).seq, before.seq + events)
  assert.equal(await statusOf(`/events?after=${before.seq}`), 200)
})

test('on a server that was promoted, events and changes continue above all numbers that may have been delivered', async () => {
  const known = await numbers()
  // The promoted server lacks the last batch, whose events a client has read.
  const lost = { seq: known.seq + 5, change_seq: known.change_seq + 5 }
  await chancery.query(`
    update chancery_world.pulse set server_started_at = '2020-01-01', timeline = '00000000'`)
  const { last_seq } = await chancery.ingest([nation('n4')])
  assert.ok(last_seq && last_seq > sequenceFloorAt(Date.now() - 600_000))
  assert.equal(await statusOf(`/events?after=${lost.seq}`), 410)
  assert.equal(await statusOf(`/changes?after=${lost.change_seq}`), 410)
  const { data } = await chancery.read<{ data: { seq: number }[] }>(`/events?after=${known.seq}`)
  assert.ok(data.length > 0 && data.every(({ seq }) => seq > lost.seq))

  const before = await numbers()
  const { events } = await chancery.ingest([nation('n5')])
  assert.equal((await numbers()).seq, before.seq + events, 'once for each promotion')
})

test('streams end when another server has taken over, unless it has all that they delivered', async t => {
  const stream = await openStream(`${chancery.url}/api/v1/events/stream`)
  t.after(() => stream.close())
  const restart = (also = '') =>
    chancery.query(`
      update chancery_access.pulse set server_started_at = clock_timestamp();
      ${also}select pg_notify('chancery_pulse', '')`)
  await restart()
  const { last_seq } = await chancery.ingest([nation('n6')])
  await stream.until(({ id }) => id === last_seq)
  await restart('update chancery_world.pulse set seq = seq - 1; ')
  await stream.ended
  assert.match(stream.text(), /another database server was promoted/)
})
