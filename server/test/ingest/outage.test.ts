import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { withConnection } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { type Outcome, startTestServer } from '../support/test-server.ts'
import { commit, lines, nation, put, seqOf, statusOf } from './facts.ts'

const chancery = closeAfter(await startTestServer())

/** Blocks the writer of a batch with a lock, terminates its connection, and unlocks. */
function breakOneBatch<T>(send: () => Promise<T>): Promise<T> {
  return withConnection(chancery.databaseUrl, async client => {
    await client.query('begin; lock table chancery_secret.batch in exclusive mode')
    const sent = send()
    // A ranking round may wait for another lock meanwhile.
    for (let broken: number | null = 0; !broken; ) {
      const { rowCount } = await client.query(`
        select pg_terminate_backend(pid) from pg_locks
        where database = (select oid from pg_database where datname = current_database())
          and relation = 'chancery_secret.batch'::regclass and not granted`)
      broken = rowCount
    }
    await client.query('commit')
    return sent
  })
}

test('a batch whose connection broke is unavailable, and later ones of its stream are not applied before it', async () => {
  const before = await seqOf(chancery)
  const text = lines(
    nation('o', { city_count: 1 }),
    commit('o-1'),
    put('nation', { id: 'o', city_count: 2 }),
    commit('o-2'),
    nation('o', { rank: 1 }),
    commit('o-3'),
  )
  const outcomes = await breakOneBatch(() => chancery.send(text))
  assert.deepEqual(pluck(outcomes, 'batch', 'status'), [
    ['o-1', 'unavailable'],
    ['o-2', 'unavailable'],
    ['o-3', 'refused'],
  ])
  assert.equal(await statusOf(chancery, '/nations/o'), 404)
  assert.equal(await seqOf(chancery), before)

  const again = await chancery.send(text)
  assert.deepEqual(pluck(again, 'status'), ['applied', 'applied', 'refused'])
  const { data } = await chancery.read<{ data: { city_count: number } }>('/nations/o')
  assert.equal(data.city_count, 2)
  assert.equal(await seqOf(chancery), before + 1)
})

test('a JSON batch whose connection broke is 503, and is applied when it is sent again', async () => {
  const send = () => chancery.operate('POST', '/facts', { facts: [nation('j')] }, { 'idempotency-key': 'j' })
  const response = await breakOneBatch(send)
  assert.equal(response.status, 503)
  const outcome = (await response.json()) as Outcome
  assert.deepEqual([outcome.batch, outcome.status, outcome.last_seq], ['j', 'unavailable', null])
  assert.equal((await send()).status, 200)
  assert.equal(await statusOf(chancery, '/nations/j'), 200)
})
