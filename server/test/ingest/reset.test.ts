import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { pluck } from '../support/pluck.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import {
  alliance,
  battle,
  commit,
  factsOn,
  lines,
  member,
  nation,
  put,
  rejectionOf,
  remove,
  statusOf,
  war,
} from './facts.ts'

type Document = Record<string, unknown>

const reset = (ended: Document, next?: Document, more: Document = {}): Fact => ({
  op: 'reset',
  ended,
  ...(next ? { next } : {}),
  ...more,
})
const snapshot = (resource: string): Fact => ({ op: 'snapshot', resource })
const endOfEra = '2026-06-01T00:00:00Z'
const afterwards = '2026-06-02T00:00:00Z'

const chancery = closeAfter(await startTestServer())
let batches = 0
const send = async (...facts: Fact[]) => {
  batches += 1
  return (await chancery.send(lines(...facts, commit(`reset-${batches}`))))[0]
}
const apply = async (...facts: Fact[]) => {
  const outcome = await send(...facts)
  assert.equal(outcome?.status, 'applied', JSON.stringify(outcome))
  return outcome
}
const sendRejected = async (...facts: Fact[]) => {
  const { line, path, reason } = rejectionOf(await send(...facts))
  return [line, path, reason]
}
const { read, list } = factsOn(chancery)

const world = (): Fact[] => [
  put('era', { id: 'e3', name: 'Third era' }),
  alliance('a1'),
  alliance('a2'),
  ...['n1', 'n2', 'n3', 'n4'].map(id => nation(id, { national_score: 3, player: `p-${id}` })),
  member('n1', 'a1'),
  member('n2', 'a2'),
  put('alliance_application', { nation_id: 'n3', alliance_id: 'a1' }),
  put('treaty', { id: 't1', alliance_ids: ['a1', 'a2'], type: 'non_aggression' }),
  put('treaty', {
    id: 't0',
    nation_ids: ['n1', 'n2'],
    type: 'non_aggression',
    signed_at: '2026-05-02T00:00:00Z',
    ended_at: '2026-05-03T00:00:00Z',
  }),
  put('market_price', { resource: 'steel', price: 4, currency: 'credits', as_of: '2026-05-01T00:00:00Z' }),
  put('conflict', {
    id: 'c1',
    name: 'Straits',
    started_at: '2026-05-02T00:00:00Z',
    sides: [
      { name: 'One', alliances: [{ alliance_id: 'a1' }] },
      { name: 'Two', alliances: [{ alliance_id: 'a2' }] },
    ],
  }),
  war('w1', 'n1', 'n2', { conflict_id: 'c1', era_id: 'e3' }),
  war('w2', 'n2', 'n1', { ended_at: '2026-05-23T00:00:00Z', outcome: 'peace' }),
  war('w3', 'n3', 'n1'),
  battle('b1', 'w1', 'n1', 'n2', { victor: 'attacker' }),
  put('news_item', { id: 'x1', title: 'News', published_at: '2026-05-03T00:00:00Z' }),
]

describe('rejected resets', () => {
  before(() =>
    apply(put('era', { id: 'r1', name: 'One' }), put('era', { id: 'r2', name: 'Two', status: 'upcoming' })),
  )

  test('an era that has not begun, or has ended', async () => {
    assert.deepEqual(await sendRejected(reset({ id: 'r2' })), [
      1,
      '/ended/id',
      'era r2 has not begun: a reset ends the active era; put it as active first, or name another',
    ])
    await apply(put('era', { id: 'r0', name: 'Zero', status: 'ended' }))
    assert.match(String((await sendRejected(reset({ id: 'r0' })))[2]), /^era r0 has ended: /)
    assert.match(
      String((await sendRejected(reset({ id: 'r1' }, { id: 'r0' })))[2]),
      /^era r0 has already ended: use a new id$/,
    )
  })

  test('an unknown era without the required fields', async () => {
    assert.deepEqual((await sendRejected(reset({ id: 'r9' }))).slice(0, 2), [1, '/ended/name'])
  })

  test('a next era without the required fields', async () => {
    const { path } = rejectionOf(await send(reset({ id: 'r1' }, { id: 'r10' })))
    assert.equal(path, '/next/name')
  })

  test('a contradictory status, and an era that follows itself', async () => {
    assert.equal((await sendRejected(reset({ id: 'r1', status: 'active' })))[1], '/ended/status')
    assert.equal(
      (await sendRejected(reset({ id: 'r1' }, { id: 'r2', status: 'upcoming' })))[1],
      '/next/status',
    )
    assert.equal((await sendRejected(reset({ id: 'r1' }, { id: 'r1' })))[1], '/next/id')
  })

  test('an end before the beginning', async () => {
    await apply(put('era', { id: 'r1', started_at: '2026-02-01T00:00:00Z' }))
    const early = '2026-01-31T00:00:00Z'
    assert.deepEqual(await sendRejected(reset({ id: 'r1' }, undefined, { at: early })), [
      1,
      '/at',
      'must not be before the start of era r1 (2026-02-01T00:00:00Z)',
    ])
    assert.equal((await sendRejected(reset({ id: 'r1', ended_at: early })))[1], '/ended/ended_at')
  })

  test('an end in the future, beyond the clock tolerance', async () => {
    const [soon, later] = [60_000, 3_600_000].map(ms => new Date(Date.now() + ms).toISOString())
    const [line, path, reason] = await sendRejected(reset({ id: 'r1' }, undefined, { at: later }))
    assert.deepEqual([line, path], [1, '/at'])
    assert.match(
      String(reason),
      /^must be at most five minutes in the future \(now: .*\): send the reset when the era ends$/,
    )
    for (const ended_at of [later, '9999-12-31T00:00:00Z'])
      assert.equal((await sendRejected(reset({ id: 'r1', ended_at })))[1], '/ended/ended_at')
    // The clock tolerance accepts the time, so that the next fact is the one that rejects the batch.
    assert.equal(
      (await sendRejected(reset({ id: 'r1' }, undefined, { at: soon }), member('n1', 'unknown')))[0],
      2,
    )
  })

  test('an unknown champion', async () => {
    assert.equal(
      (await sendRejected(reset({ id: 'r1', champion: { alliance_id: 'unknown', name: 'N' } })))[1],
      '/ended/champion/alliance_id',
    )
  })

  after(() => apply(...['r0', 'r1', 'r2'].map(id => remove('era', id))))
})

describe('after a reset', () => {
  let seqBefore: number
  let outcome: Awaited<ReturnType<typeof apply>>

  before(async () => {
    await apply(...world())
    await apply(remove('nation', 'n4'))
    const rejected = await send(nation('n1', { leader_name: 'L' }), member('n1', 'unknown'))
    assert.equal(rejected?.status, 'refused')
    seqBefore = Number((await apply(war('w0', 'n1', 'n2'), remove('war', 'w0'))).last_seq)
    outcome = await apply(
      reset(
        { id: 'e3', summary: 'It was long.', champion: { alliance_id: 'a1', name: 'Alliance a1' } },
        { id: 'e4', name: 'Fourth era' },
        { at: endOfEra },
      ),
      nation('e4-n1', { nation_name: 'New one', player: 'p-n1' }),
    )
    await chancery.ingest([])
  })

  test('one event ends the era and one begins the next', async () => {
    const events = (await list(`/events?limit=100&after=${seqBefore}`)) as {
      type: string
      data: Document
      summary: string
      occurred_at: string
    }[]
    assert.deepEqual(pluck(events, 'type'), ['era.ended', 'era.started', 'nation.founded'])
    assert.equal(outcome.events, 3)
    assert.deepEqual(events[0]?.data, {
      era: { era_id: 'e3', name: 'Third era' },
      champion: { alliance_id: 'a1', name: 'Alliance a1' },
      reset: { nations: 3, alliances: 2 },
    })
    assert.deepEqual(pluck(events.slice(0, 2), 'occurred_at'), [endOfEra, endOfEra])
  })

  test('nations, alliances, members and the market are deleted; new entities exist', async () => {
    for (const path of ['/nations/n1', '/alliances/a1', '/alliances/a1/members', '/market/steel'])
      assert.equal(await statusOf(chancery, path), 404, path)
    const { data, pagination } = await chancery.read<{ data: Document[]; pagination: Document }>('/nations')
    assert.deepEqual([data.map(({ id }) => id), pagination.total], [['e4-n1'], 1])
    assert.deepEqual(await list('/alliances'), [])
    assert.deepEqual(
      (await list('/rankings')).map(({ nation: each }) => (each as Document).id),
      ['e4-n1'],
    )
  })

  test('treaties stay, and have ended', async () => {
    const ends = (await list('/treaties')).map(({ id, status, ended_at }) => [id, status, ended_at])
    assert.deepEqual(ends, [
      ['t0', 'ended', '2026-05-03T00:00:00Z'],
      ['t1', 'ended', endOfEra],
    ])
  })

  test('wars, battles, conflicts, eras, news and the log stay; active ones have ended', async () => {
    const { status, ended_at, outcome: how, attacker, losses: _ } = await read('/wars/w1')
    assert.deepEqual([status, ended_at, how], ['ended', endOfEra, null])
    assert.equal((attacker as Document).nation_name, 'Nation n1')
    const earlier = await read('/wars/w2')
    assert.deepEqual([earlier.ended_at, earlier.outcome], ['2026-05-23T00:00:00Z', 'peace'])
    assert.equal((await list('/wars/w1/battles')).length, 1)
    const [conflict] = await list('/global-conflicts')
    assert.deepEqual(
      [conflict?.status, conflict?.wars, conflict?.battles_count],
      ['ended', { active: 0, total: 1 }, 1],
    )
    assert.deepEqual((await list('/eras')).map(({ id, status: state }) => [id, state]).toSorted(), [
      ['e3', 'ended'],
      ['e4', 'active'],
    ])
    assert.equal((await list('/news')).length, 1)
    assert.equal((await list('/events?nation_id=n1&limit=100')).at(-1)?.type, 'nation.founded')
  })

  test('the same era cannot end with a reset again', async () => {
    await apply(put('era', { id: 'e3', status: 'active' }))
    assert.deepEqual(await sendRejected(reset({ id: 'e3' })), [
      1,
      '/ended/id',
      'era e3 was already ended by a reset: name the active era',
    ])
    await apply(put('era', { id: 'e3', status: 'ended' }))
  })

  test('no other era ends with a reset before it', async () => {
    assert.deepEqual(
      await sendRejected(reset({ id: 'e-early', name: 'Early' }, undefined, { at: '2026-05-31T00:00:00Z' })),
      [1, '/at', `must not be before the previous reset (${endOfEra})`],
    )
  })

  test('a dead letter about retired entities is superseded', async () => {
    const { data } = (await (await chancery.operate('GET', '/refused')).json()) as {
      data: { id: string; overtaken_by: string | null; refusals: { path: string }[] }[]
    }
    const kept = data.find(({ refusals }) => refusals[0]?.path === '/data/alliance_id')
    assert.equal(kept?.overtaken_by, outcome.batch)
  })

  test('retired ids are rejected with a suggestion, also those of entities deleted before', async () => {
    const reason = (resource: string, id: string) =>
      `${resource} ${id} was retired with era e3: give the new one an id of its own, for example e4-${id}`
    assert.deepEqual(await sendRejected(nation('n2')), [1, '/data/id', reason('nation', 'n2')])
    assert.deepEqual(await sendRejected(nation('n4')), [1, '/data/id', reason('nation', 'n4')])
    assert.deepEqual(await sendRejected(alliance('a2')), [1, '/data/id', reason('alliance', 'a2')])
    assert.deepEqual(await sendRejected(alliance('e4-a1'), member('n1', 'e4-a1')), [
      2,
      '/data/nation_id',
      reason('nation', 'n1'),
    ])
    assert.deepEqual(await sendRejected(member('e4-n1', 'a1')), [
      1,
      '/data/alliance_id',
      reason('alliance', 'a1'),
    ])
    const treaty = put('treaty', { id: 't2', alliance_ids: ['a1', 'e4-a1'], type: 'non_aggression' })
    assert.deepEqual(await sendRejected(alliance('e4-a1'), treaty), [
      2,
      '/data/alliance_ids',
      reason('alliance', 'a1'),
    ])
    const application = (nation_id: string, alliance_id: string) =>
      put('alliance_application', { nation_id, alliance_id })
    assert.deepEqual(await sendRejected(application('n1', 'e4-a1')), [
      1,
      '/data/nation_id',
      reason('nation', 'n1'),
    ])
    assert.deepEqual(await sendRejected(application('e4-n1', 'a1')), [
      1,
      '/data/alliance_id',
      reason('alliance', 'a1'),
    ])
  })

  test('a treaty may have the id of one from before the reset', async () => {
    const treaty = put('treaty', { id: 't1', alliance_ids: ['e4-a1', 'e4-a2'], type: 'protectorate' })
    await apply(alliance('e4-a1'), alliance('e4-a2'), treaty)
    const { status, ended_at, alliance_ids } = await read('/treaties/t1')
    assert.deepEqual([status, ended_at, alliance_ids], ['active', null, ['e4-a1', 'e4-a2']])
    await apply({ op: 'snapshot', resource: 'treaty' })
    assert.deepEqual(pluck(await list('/treaties'), 'id'), ['t0'])
    await apply(remove('alliance', 'e4-a1'), remove('alliance', 'e4-a2'))
  })

  test('a war or battle from before the reset cannot become a current one', async () => {
    const reused = (resource: string, id: string) =>
      `${resource} ${id} existed before era e3 ended: give the new one another id, for example e4-${id}`
    await apply(nation('e4-n2'), nation('e4-n3'))
    const now = (id: string) => war(id, 'e4-n1', 'e4-n2', { declared_at: afterwards })
    assert.deepEqual(await sendRejected(now('w1')), [1, '/data/declared_at', reused('war', 'w1')])
    assert.deepEqual(await sendRejected(now('w0')), [1, '/data/declared_at', reused('war', 'w0')])
    assert.deepEqual(await sendRejected(put('war', { id: 'w1', attacker: { nation_id: 'e4-n1' } })), [
      1,
      '/data/attacker/nation_id',
      reused('war', 'w1'),
    ])
    assert.deepEqual(await sendRejected(war('w9', 'n1', 'e4-n1', { declared_at: afterwards })), [
      1,
      '/data/attacker/nation_id',
      'nation n1 was retired with era e3: give the new one an id of its own, for example e4-n1',
    ])
    const joinedBy = (id: string) => ({ participants: [{ side: 'attacker', nation_id: id }] })
    assert.deepEqual(await sendRejected(put('war', { id: 'w1', ...joinedBy('e4-n1') })), [
      1,
      '/data/participants/0/nation_id',
      reused('war', 'w1'),
    ])
    assert.deepEqual(
      (await sendRejected(war('w9', 'e4-n2', 'e4-n1', { declared_at: afterwards, ...joinedBy('n1') })))[1],
      '/data/participants/0/nation_id',
    )
    await apply(war('e4-w1', 'e4-n1', 'e4-n2', { declared_at: afterwards }))
    const fought = { fought_at: afterwards }
    assert.deepEqual(await sendRejected(battle('b1', 'e4-w1', 'e4-n1', 'e4-n2', fought)), [
      1,
      '/data/fought_at',
      reused('battle', 'b1'),
    ])
    assert.equal((await sendRejected(battle('b9', 'w1', 'n1', 'n2', fought)))[1], '/data/attacker_nation_id')
  })

  test('facts that correct history pass', async () => {
    await apply(
      put('war', { id: 'w1', outcome: 'attacker_victory', declared_at: '2026-05-20T11:00:00Z' }),
      put('war', { id: 'w3', attacker: { nation_id: 'n2' } }),
      put('war', { id: 'w1', participants: [{ side: 'attacker', nation_id: 'n3' }] }),
      war('w0', 'n1', 'n2'),
      war('late', 'n2', 'n3'),
      battle('b1', 'w1', 'n1', 'n2', { victor: 'draw' }),
      battle('late', 'w1', 'n2', 'n1'),
      put('news_item', { id: 'x1', title: 'Corrected', nation_ids: ['n1'] }),
    )
    assert.equal((await read('/wars/w1')).outcome, 'attacker_victory')
  })

  test('a war from before the reset stays ended, whatever its fact contains', async () => {
    await apply(put('war', { id: 'w1', status: 'active', ended_at: null }))
    await apply(war('w-late', 'n1', 'n2', { declared_at: '2026-05-30T00:00:00Z' }))
    for (const id of ['w1', 'w-late']) {
      const { status, ended_at } = await read(`/wars/${id}`)
      assert.deepEqual({ id, status, ended_at }, { id, status: 'ended', ended_at: endOfEra })
    }
    const active = await list('/wars?status=active')
    assert.deepEqual(
      active.filter(({ id }) => id === 'w1' || id === 'w-late'),
      [],
    )
  })

  test('a snapshot concerns the current era, and keeps history', async () => {
    const wars = (await list('/wars?limit=100')).length
    await apply(nation('e4-n4'))
    await apply(
      ...['war', 'battle', 'conflict', 'news_item'].map(snapshot),
      war('e4-w2', 'e4-n2', 'e4-n1', { declared_at: afterwards }),
    )
    assert.equal(await statusOf(chancery, '/wars/e4-w1'), 404)
    assert.equal((await list('/wars?limit=100')).length, wars)
    assert.deepEqual([(await list('/global-conflicts')).length, (await list('/news')).length], [1, 1])
    await apply(snapshot('era'), put('era', { id: 'e4' }))
    assert.equal((await list('/eras')).length, 2)
  })

  test('the next era can end in the same way, without a successor', async () => {
    const { events } = await apply(reset({ id: 'e4' }))
    assert.equal(events, 1)
    assert.equal((await list('/eras')).length, 2)
    assert.match(String((await sendRejected(nation('e4-n1')))[2]), /retired with era e4: .* new-e4-n1$/)
  })
})
