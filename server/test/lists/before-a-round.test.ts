import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { roundLock } from '../../src/store/locks.ts'
import { nation } from '../ingest/facts.ts'
import { startChancery, type TestChancery } from '../support/chancery.ts'
import { withConnection } from '../support/database-url.ts'

let chancery: TestChancery
before(async () => {
  chancery = await startChancery()
  await chancery.tell([nation('n1', { national_score: 5 }), nation('n2', { national_score: 5 })])
})
after(() => chancery.close())

const listed = async (query: string) =>
  (await chancery.read<{ data: { id: string }[] }>(`/nations?${query}`)).data.map(({ id }) => id)

/** Whoever holds this lock keeps ranking rounds away. */
const withoutRounds = (work: (query: (text: string) => Promise<unknown>) => Promise<void>) =>
  withConnection(chancery.databaseUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [roundLock])
    await work(text => client.query(text))
  })

test('a nation of which one thing changes is listed by it at once', () =>
  withoutRounds(async () => {
    const changes: [more: object, query: string][] = [
      [{ national_score: 50 }, 'min_score=40'],
      [{ status: 'vacation' }, 'status=vacation'],
      [{ leader_name: 'Somebody else' }, 'search=somebody'],
      [{ nation_name: 'Elsewhere' }, 'search=elsewh'],
    ]
    for (const [more, query] of changes) {
      assert.deepEqual(await listed(query), [])
      await chancery.tell([{ op: 'put', resource: 'nation', data: { id: 'n1', ...more } }], { waits: false })
      assert.deepEqual(await listed(query), ['n1'])
    }
  }))

test('a known nation without a place, as after a restore, is given one by what changes', () =>
  withoutRounds(async query => {
    await query('delete from chancery_world.nation_place')
    assert.deepEqual(await listed('min_score=60'), [])
    await chancery.tell([nation('n2', { national_score: 70 })], { waits: false })
    assert.deepEqual(await listed('min_score=60'), ['n2'])
  }))
