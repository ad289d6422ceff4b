import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chosenBySubject, chosenOfKinds, type Subjects } from '../../src/events/by-subject.ts'
import { createPool, type DatabasePool, type Sql, sql } from '../../src/store/database.ts'
import { type Fact, startChancery, type TestChancery } from '../support/chancery.ts'

let chancery: TestChancery
let pool: DatabasePool
before(async () => {
  chancery = await startChancery()
  const put = (resource: string, data: object): Fact => ({ op: 'put', resource, data })
  const nations = ['n0', 'n1', 'n2', 'n3']
  await chancery.tell([
    ...nations.map(id => put('nation', { id, nation_name: id })),
    ...['a0', 'a1'].map(id => put('alliance', { id, name: id, tag: id })),
    // The last is in none, so that some wars are about one alliance alone.
    ...nations
      .slice(0, 3)
      .map((nation_id, index) => put('alliance_member', { nation_id, alliance_id: `a${index % 2}` })),
    ...nations.map((id, index) =>
      put('war', {
        id: `w${index}`,
        declared_at: '2026-05-01T00:00:00Z',
        attacker: { nation_id: id },
        defender: { nation_id: nations[(index + 1) % 4] },
      }),
    ),
  ])
  pool = createPool({
    target: { connectionString: chancery.databaseUrl },
    role: 'chancery_public',
    connectionsMax: 1,
  })
})
after(async () => {
  await pool.close()
  await chancery.close()
})

async function numbers(chosen: Sql): Promise<number[]> {
  const rows = await pool.rows<{ seq: number }>(sql`select seq from (${chosen}) chosen order by seq`)
  return rows.map(({ seq }) => seq)
}

// A small log has few of any kind: a question of frequent kinds is only asked here.
test('events of kinds about somebody are the same whether found by kind or by whom they are about', async () => {
  const span = { first: 2, last: 1_000 }
  const type = ['war.declared', 'nation.founded']
  const questions: Partial<Subjects>[] = [
    { nation_id: ['n1'] },
    { nation_id: ['n1', 'n2'] },
    { alliance_id: ['a0'] },
    { alliance_id: ['a0', 'a1'] },
    { nation_id: ['n1', 'n0'], alliance_id: ['a1'] },
    { type: ['war.declared'], alliance_id: ['a1', 'nobody'] },
  ]
  for (const asked of questions) {
    const question = { type, nation_id: undefined, alliance_id: undefined, war_id: undefined, ...asked }
    const bySubject = await numbers(chosenBySubject(span, question))
    assert.ok(bySubject.length > 0, JSON.stringify(question))
    assert.deepEqual(await numbers(chosenOfKinds(question.type, span, question)), bySubject)
  }
})
