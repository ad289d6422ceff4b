import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sequenceFloorAt } from '../../src/ingest/continue-numbers.ts'
import { openStream } from '../events/stream-reader.ts'
import { prepare, useTestServer } from '../support/fixture.ts'
import { pretendRestarts } from '../support/pretend-restart.ts'
import type { Fact, Outcome } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { nation } from './facts.ts'

const chancery = useTestServer({}, { facts: [nation('n1'), nation('n2')] })

const numbers = async () => {
  const [found] = await chancery.query<{ seq: number; change_seq: number }>(
    'select seq::float8, change_seq::float8 from chancery_world.pulse',
  )
  assert.ok(found)
  return found
}
/** Its first attempts may meet connections that have ended. */
async function ingest(fact: Fact): Promise<Outcome> {
  for (;;) {
    const outcome = await chancery.ingest([fact], { waits: false }).catch(() => undefined)
    if (outcome) return outcome
  }
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

describe('while clients are connected', () => {
  const stream = (path: string) => openStream(`${chancery.url}/api/v1${path}`)
  let restart: (also?: string) => Promise<void>
  prepare(async () => {
    restart = await pretendRestarts({ url: chancery.databaseUrl, query: chancery.query })
    await chancery.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await until(async () => (await statusOf('/nations')) === 200, 'the server is connected again')
  })

  test('streams end when another server has taken over, unless it has all that they delivered', async t => {
    const events = await stream('/events/stream')
    t.after(() => events.close())
    await restart()
    const isNoticed =
      'select from chancery_access.pulse a, pretend.server s where a.server_started_at = s.started_at'
    await until(async () => (await chancery.query(isNoticed)).length === 1, 'the process has noticed it')
    const { last_seq } = await ingest(nation('n6'))
    await events.until(({ id }) => id === last_seq)
    await restart('update chancery_world.pulse set seq = seq - 1')
    await events.ended
    assert.match(events.text(), /may be lost/)
  })

  test('a client that follows changes starts again, also where its position was not lost', async t => {
    const { change_seq: position } = await numbers()
    const changes = await stream(`/changes/stream?after=${position}`)
    t.after(() => changes.close())
    await restart(`update chancery_world.pulse set timeline = '00000000'`)
    // Without any batch.
    await changes.ended
    assert.match(changes.text(), /no longer stored/)
    await until(async () => (await statusOf(`/changes?after=${position}`)) === 410, 'the position is expired')
  })

  test('nothing of the lost change log is returned', async () => {
    await chancery.ingest([nation('n7')])
    const { change_seq: lost } = await numbers()
    const path = `/changes?after=${lost - 1}`
    for (let count = 0; count < 3; count += 1) assert.match(await (await chancery.get(path)).text(), /"n7"/)
    await restart(`
      delete from chancery_world.change where seq = ${lost};
      update chancery_world.pulse set change_seq = ${lost - 1}`)
    await until(async () => !(await (await chancery.get(path)).text()).includes('"n7"'), 'it is gone')
  })
})
