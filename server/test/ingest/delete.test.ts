import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { pluck } from '../support/pluck.ts'
import { startTestServer } from '../support/test-server.ts'
import {
  alliance,
  battle,
  event,
  factsOn,
  member,
  nation,
  put,
  rejectionOf,
  remove,
  statusOf,
  war,
} from './facts.ts'

type Document = Record<string, unknown>

const chancery = closeAfter(await startTestServer())

const { ingest, send, read, list } = factsOn(chancery)

const dataOf = (event: Document | undefined) => (event?.data ?? {}) as Document

test('a deleted nation is gone, and its wars, battles and events keep their names', async () => {
  await ingest(
    nation('gone'),
    nation('gone-2'),
    war('gone-w', 'gone', 'gone-2'),
    battle('gone-b', 'gone-w', 'gone', 'gone-2'),
  )
  await ingest(remove('nation', 'gone'))
  assert.equal(await statusOf(chancery, '/nations/gone'), 404)
  assert.equal(((await read('/wars/gone-w')).attacker as Document).nation_name, 'Nation gone')
  assert.deepEqual(pluck(await list('/wars/gone-w/battles'), 'id'), ['gone-b'])
  const events = await list('/events?nation_id=gone')
  assert.deepEqual(pluck(events, 'type'), [
    'nation.deleted',
    'battle.fought',
    'war.declared',
    'nation.founded',
  ])
})

test('later facts may refer to a deleted nation as history, under its last name', async () => {
  await ingest(nation('late'), nation('late-2'))
  await ingest(put('nation', { id: 'late', nation_name: 'Last Name' }), remove('nation', 'late'))
  await ingest(
    war('late-w', 'late', 'late-2'),
    battle('late-b', 'late-w', 'late-2', 'late'),
    put('news_item', {
      id: 'late-x',
      title: 'Late',
      published_at: '2026-05-01T00:00:00Z',
      nation_ids: ['late'],
    }),
    event({
      type: 'strategic_weapon.launched',
      occurred_at: '2026-05-01T00:00:00Z',
      data: { weapon: 'nuclear_missile', attacker_nation_id: 'late', defender_nation_id: 'late-2' },
    }),
  )
  assert.equal(((await read('/wars/late-w')).attacker as Document).nation_name, 'Last Name')
  const [launched] = await list('/events?type=strategic_weapon.launched&nation_id=late')
  assert.equal(launched?.summary, 'Last Name launched a nuclear missile at Nation late-2.')
})

test('a deleted nation leaves its alliance, and cannot be a member', async () => {
  await ingest(nation('left', { national_score: 5 }), alliance('left-a'), member('left', 'left-a'))
  await ingest(remove('nation', 'left'))
  const data = await read('/alliances/left-a')
  assert.deepEqual([data.member_count, data.total_score, data.average_score], [0, 0, 0])
  assert.deepEqual(await list('/alliances/left-a/members'), [])
  const rejection = rejectionOf(await send('left-1', member('left', 'left-a')))
  assert.deepEqual([rejection.path, rejection.reason], ['/data/nation_id', 'there is no nation left'])
})

test('a deleted alliance can have no members and sign no treaty', async () => {
  await ingest(alliance('void'), alliance('void-2'), nation('void'))
  await ingest(remove('alliance', 'void'))
  assert.equal(rejectionOf(await send('void-1', member('void', 'void'))).path, '/data/alliance_id')
  const treaty = put('treaty', { id: 'void', alliance_ids: ['void', 'void-2'], type: 'non_aggression' })
  assert.equal(rejectionOf(await send('void-2', treaty)).path, '/data/alliance_ids')
})

test('a deleted alliance dismisses its members and ends its treaties, each with its event', async () => {
  await ingest(alliance('dis'), alliance('dis-2'), nation('dis-1'), nation('dis-2'))
  await ingest(
    member('dis-1', 'dis', { rank: 'leader' }),
    member('dis-2', 'dis'),
    put('treaty', { id: 'dis-t', alliance_ids: ['dis', 'dis-2'], type: 'mutual_defense' }),
  )
  const { events } = await ingest(remove('alliance', 'dis', '2026-05-30T00:00:00Z'))
  assert.equal(events, 4)
  assert.equal((await read('/nations/dis-1')).alliance, null)
  assert.deepEqual((await read('/alliances/dis-2')).treaties, [])
  const logged = (await list('/events?alliance_id=dis&limit=4')).reverse()
  assert.deepEqual(
    pluck(logged, 'type', 'occurred_at'),
    ['treaty.ended', 'alliance.member_left', 'alliance.member_left', 'alliance.disbanded'].map(type => [
      type,
      '2026-05-30T00:00:00Z',
    ]),
  )
  assert.deepEqual(dataOf(logged[0]).alliances, [
    { alliance_id: 'dis', name: 'Alliance dis', tag: 'DIS' },
    { alliance_id: 'dis-2', name: 'Alliance dis-2', tag: 'DIS-2' },
  ])
  assert.deepEqual(dataOf(logged[1]).alliance, {
    alliance_id: 'dis',
    name: 'Alliance dis',
    tag: 'DIS',
  })
})

test('a conflict keeps a deleted alliance on its side by name, and may take one in', async () => {
  await ingest(alliance('side'), alliance('side-2'))
  const conflict = (ids: string[]) =>
    put('conflict', {
      id: 'side-c',
      name: 'Sides',
      started_at: '2100-01-01T00:00:00Z',
      sides: [{ name: 'One', alliances: ids.map(alliance_id => ({ alliance_id })) }],
    })
  await ingest(conflict(['side']))
  await ingest(remove('alliance', 'side'), remove('alliance', 'side-2'))
  await ingest(conflict(['side', 'side-2']))
  const found = (await list('/global-conflicts')).find(({ id }) => id === 'side-c')
  const [one] = (found?.sides ?? []) as { alliances: Document[] }[]
  assert.deepEqual(
    one?.alliances.map(({ name }) => name),
    ['Alliance side', 'Alliance side-2'],
  )
  const [joined] = await list('/events?type=conflict.joined&alliance_id=side-2')
  assert.equal(joined?.summary, 'Alliance side-2 joined Sides on the side of One.')
})

test('a deleted war deletes its battles and keeps its events', async () => {
  await ingest(
    nation('wd-1'),
    nation('wd-2'),
    war('wd', 'wd-1', 'wd-2'),
    battle('wd-b', 'wd', 'wd-1', 'wd-2'),
  )
  await ingest(remove('war', 'wd'))
  assert.equal(await statusOf(chancery, '/wars/wd'), 404)
  assert.equal(await statusOf(chancery, '/wars/wd/battles'), 404)
  assert.deepEqual(
    (await list('/events?war_id=wd')).map(({ type }) => type),
    ['battle.fought', 'war.declared'],
  )
  assert.deepEqual((await read('/nations/wd-1')).wars, {
    active_offensive: 0,
    active_defensive: 0,
    won: 0,
    lost: 0,
  })
  await ingest(war('wd', 'wd-1', 'wd-2'))
  assert.equal((await read('/wars/wd')).battles_count, 0)
  assert.deepEqual(await list('/wars/wd/battles'), [])
})

test('a nation that is recreated under its id starts empty, with the wars of its id', async () => {
  await ingest(
    nation('renewed', { motto: 'Old', player: 'p-renewed', military: { readiness: 5 } }),
    nation('renewed-2'),
  )
  await ingest(
    war('renewed-w', 'renewed', 'renewed-2'),
    alliance('renewed-a'),
    member('renewed', 'renewed-a'),
  )
  await ingest(remove('nation', 'renewed'))
  await ingest(put('nation', { id: 'renewed', nation_name: 'Second' }))
  const data = await read('/nations/renewed')
  assert.deepEqual([data.nation_name, data.motto, data.alliance], ['Second', null, null])
  assert.deepEqual(data.wars, { active_offensive: 1, active_defensive: 0, won: 0, lost: 0 })
  await ingest(put('nation', { id: 'renewed', player: 'p-renewed' }))
  const { key } = await chancery.makeKey({ player_id: 'p-renewed' }, ['military.read'])
  const { data: own } = await chancery.read<{ data: Document }>('/me/nation', { key })
  assert.equal(own.military, null)
})

test('an alliance that is recreated under its id has the wars of its id', async () => {
  await ingest(nation('aa-1'), nation('aa-2'), alliance('aa'), member('aa-1', 'aa'))
  await ingest(war('aa-w', 'aa-1', 'aa-2', { status: 'ended', outcome: 'attacker_victory' }))
  await ingest(remove('alliance', 'aa'))
  await ingest(alliance('aa'))
  const data = await read('/alliances/aa')
  assert.deepEqual([data.wars, data.member_count], [{ active: 0, won: 1, lost: 0 }, 0])
})

test('deleting and recreating an entity in one batch has the result of two batches', async () => {
  await ingest(
    nation('re-1', { national_score: 3, motto: 'Old' }),
    nation('re-2'),
    alliance('re-a', { description: 'Old' }),
    member('re-1', 're-a'),
    war('re-w', 're-1', 're-2', { reason: 'Old' }),
    battle('re-b', 're-w', 're-1', 're-2', { losses: { attacker: { tanks: 4 } } }),
    put('treaty', { id: 're-t', alliance_ids: ['re-a', 're-b'], type: 'non_aggression' }),
    alliance('re-b'),
  )
  await ingest(
    remove('nation', 're-1'),
    put('nation', { id: 're-1', nation_name: 'Second', national_score: 8 }),
    remove('alliance', 're-a'),
    put('alliance', { id: 're-a', name: 'Second' }),
    remove('war', 're-w'),
    war('re-w', 're-1', 're-2'),
  )
  const one = await read('/nations/re-1')
  assert.deepEqual([one.nation_name, one.motto, one.alliance], ['Second', null, null])
  const data = await read('/alliances/re-a')
  assert.deepEqual(
    [data.name, data.description, data.member_count, data.total_score, data.treaties],
    ['Second', null, 0, 0, []],
  )
  const { battles_count, losses, reason, attacker } = await read('/wars/re-w')
  assert.deepEqual([battles_count, losses, reason], [0, { attacker: {}, defender: {} }, null])
  assert.equal((attacker as Document).nation_name, 'Second')
  assert.deepEqual(await list('/wars/re-w/battles'), [])
  await ingest(put('nation', { id: 're-1', nation_name: 'Third' }), war('re-w2', 're-1', 're-2'))
  assert.equal(((await read('/wars/re-w2')).attacker as Document).nation_name, 'Third')
  await ingest(member('re-1', 're-a'))
  const [joined] = await list('/events?type=alliance.member_joined&nation_id=re-1&limit=1')
  assert.equal(joined?.summary, 'Third joined Second.')
})

test('an entity that is put and deleted in one batch emits both events', async () => {
  const { events } = await ingest(nation('brief'), remove('nation', 'brief'))
  assert.equal(events, 2)
  assert.equal(await statusOf(chancery, '/nations/brief'), 404)
  await ingest(nation('brief-2'), war('brief-w', 'brief', 'brief-2'))
  assert.equal(((await read('/wars/brief-w')).attacker as Document).nation_name, 'Nation brief')
})

test('deleting twice deletes once', async () => {
  await ingest(nation('twice'))
  assert.equal((await ingest(remove('nation', 'twice'))).events, 1)
  assert.equal((await ingest(remove('nation', 'twice'))).events, 0)
})
