import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Change, chunkSize, partsOf } from '../../src/ingest/batch.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { alliance, battle, factsOn, member, nation, put, remove, war } from './facts.ts'

type Document = Record<string, unknown>

const chancery = closeAfter(await startTestServer())

const { ingest, read, list } = factsOn(chancery)

async function keyOf(nationId: string): Promise<string> {
  const made = await chancery.makeKey({ nation_id: nationId }, [
    'nation.read',
    'military.read',
    'economy.read',
    'production.read',
    'alliance.read',
  ])
  return made.key
}

test('a new entity has the defaults of the contract, and null for fields that the game did not send', async () => {
  await ingest(put('nation', { id: 'fresh', nation_name: 'Fresh' }, '2026-05-01T10:00:00Z'))
  const { rank, ...data } = await read('/nations/fresh')
  assert.ok(rank === null || typeof rank === 'number')
  assert.deepEqual(data, {
    id: 'fresh',
    nation_name: 'Fresh',
    leader_name: '',
    national_score: 0,
    status: 'active',
    game_status: null,
    government: null,
    continent: null,
    color: null,
    flag_url: null,
    motto: null,
    founded_at: null,
    city_count: null,
    land_area: null,
    alliance: null,
    wars: { active_offensive: 0, active_defensive: 0, won: 0, lost: 0 },
    url: null,
    updated_at: '2026-05-01T10:00:00Z',
    attributes: {},
  })
})

test('fields that a fact leaves out stay, and null is a value', async () => {
  await ingest(nation('stay', { motto: 'Ever', city_count: 3, government: 'republic' }))
  await ingest(put('nation', { id: 'stay', city_count: 4, government: null }))
  const data = await read('/nations/stay')
  assert.deepEqual([data.motto, data.city_count, data.government], ['Ever', 4, null])
})

test('objects merge field by field at every depth, arrays replace', async () => {
  await ingest(
    nation('merge', {
      player: 'p-merge',
      military: { units: { soldiers: 10, tanks: 2 }, readiness: 50 },
      production: { queue: [{ item: 'tanks', quantity: 1, completes_at: null }] },
    }),
  )
  await ingest(
    put('nation', {
      id: 'merge',
      military: { units: { tanks: 3 }, reserves: { soldiers: 7 } },
      production: { queue: [{ item: 'ships', quantity: 2, completes_at: null }] },
    }),
  )
  const key = await keyOf('merge')
  const data = await read('/me/nation', key)
  assert.deepEqual(data.military, {
    units: { soldiers: 10, tanks: 3 },
    reserves: { soldiers: 7 },
    readiness: 50,
    strategic: null,
  })
  assert.deepEqual(data.production, { queue: [{ item: 'ships', quantity: 2, completes_at: null }] })
  await ingest(put('nation', { id: 'merge', military: null }))
  assert.equal((await read('/me/nation', key)).military, null)
})

test('attributes are split by class: every viewer sees the public ones, the owner all of theirs', async () => {
  await ingest(
    nation('attr', { player: 'p-attr', attributes: { literacy_percent: 93.5, war_weariness: 12 } }),
  )
  assert.deepEqual((await read('/nations/attr')).attributes, { literacy_percent: 93.5 })
  const key = await keyOf('attr')
  assert.deepEqual((await read('/me/nation', key)).attributes, { literacy_percent: 93.5, war_weariness: 12 })
  await ingest(put('nation', { id: 'attr', attributes: { war_weariness: 13 } }))
  assert.deepEqual((await read('/me/nation', key)).attributes, { literacy_percent: 93.5, war_weariness: 13 })
})

test('fields of a nation that the game never sent are null for its owner', async () => {
  await ingest(nation('unsent', { player: 'p-unsent' }))
  const data = await read('/me/nation', await keyOf('unsent'))
  assert.deepEqual([data.military, data.economy, data.production, data.assignments], [null, null, null, null])
})

test('a time is returned without trailing zeros', async () => {
  await ingest(nation('zeros', { founded_at: '2026-05-01T10:00:00.500Z' }))
  assert.equal((await read('/nations/zeros')).founded_at, '2026-05-01T10:00:00.5Z')
  await ingest(put('nation', { id: 'zeros', founded_at: '2026-05-01T10:00:00.000Z' }))
  assert.equal((await read('/nations/zeros')).founded_at, '2026-05-01T10:00:00Z')
})

test('several facts about one entity in one batch are applied in their order', async () => {
  const { events } = await ingest(
    nation('often', { city_count: 1 }),
    put('nation', { id: 'often', city_count: 2, motto: 'Two' }),
    put('nation', { id: 'often', city_count: 3 }),
  )
  assert.equal(events, 1)
  const data = await read('/nations/often')
  assert.deepEqual([data.city_count, data.motto], [3, 'Two'])
})

test('the order inside a batch is free: references may precede their target', async () => {
  await ingest(
    battle('free-b', 'free-w', 'free-1', 'free-2'),
    war('free-w', 'free-1', 'free-2', { conflict_id: 'free-c', era_id: 'free-e' }),
    member('free-1', 'free-a'),
    put('conflict', {
      id: 'free-c',
      name: 'Free',
      started_at: '2026-05-01T00:00:00Z',
      sides: [{ name: 'One', alliances: [{ alliance_id: 'free-a' }] }],
    }),
    put('era', { id: 'free-e', name: 'Free', champion: { alliance_id: 'free-a', name: 'Alliance free-a' } }),
    nation('free-2'),
    nation('free-1'),
    alliance('free-a'),
  )
  const data = await read('/wars/free-w')
  assert.deepEqual(data.attacker, {
    nation_id: 'free-1',
    nation_name: 'Nation free-1',
    alliance_id: 'free-a',
    alliance_name: 'Alliance free-a',
  })
  assert.equal(data.battles_count, 1)
})

test('a player leads one nation: the one that the game named last, also inside one batch', async () => {
  await ingest(nation('led-1', { player: 'p-led' }), nation('led-2', { player: 'p-led' }))
  const { key } = await chancery.makeKey({ player_id: 'p-led' })
  assert.equal((await read('/me/nation', key)).id, 'led-2')
  await ingest(put('nation', { id: 'led-1', player: 'p-led' }))
  assert.equal((await read('/me/nation', key)).id, 'led-1')
  await ingest(nation('led-3', { player: 'p-other' }))
  await ingest(
    put('nation', { id: 'led-3', player: 'p-led' }),
    put('nation', { id: 'led-1', player: 'p-other' }),
  )
  assert.equal((await read('/me/nation', key)).id, 'led-3')
  const other = await chancery.makeKey({ player_id: 'p-other' })
  assert.equal((await read('/me/nation', other.key)).id, 'led-1')
})

test('a war keeps the names and alliances of its declaration', async () => {
  await ingest(nation('then-1'), nation('then-2'), alliance('then-a'), member('then-1', 'then-a'))
  await ingest(war('then-w', 'then-1', 'then-2'))
  await ingest(
    put('nation', { id: 'then-1', nation_name: 'Later' }),
    put('alliance', { id: 'then-a', name: 'Later' }),
    remove('alliance_member', 'then-1'),
  )
  await ingest(put('war', { id: 'then-w', attacker: { nation_id: 'then-1' }, reason: 'Because' }))
  const data = await read('/wars/then-w')
  assert.deepEqual(data.attacker, {
    nation_id: 'then-1',
    nation_name: 'Nation then-1',
    alliance_id: 'then-a',
    alliance_name: 'Alliance then-a',
  })
  assert.equal(data.reason, 'Because')
})

test('a correction of a war’s alliance copies that alliance’s name', async () => {
  await ingest(
    nation('corr-1'),
    nation('corr-2'),
    alliance('corr-a'),
    alliance('corr-b'),
    member('corr-1', 'corr-a'),
  )
  await ingest(war('corr-w', 'corr-1', 'corr-2'))
  await ingest(put('war', { id: 'corr-w', attacker: { alliance_id: 'corr-b' } }))
  const side = (await read('/wars/corr-w')).attacker as Document
  assert.deepEqual([side.alliance_id, side.alliance_name], ['corr-b', 'Alliance corr-b'])
  await ingest(put('war', { id: 'corr-w', attacker: { alliance_id: null } }))
  const without = (await read('/wars/corr-w')).attacker as Document
  assert.deepEqual([without.alliance_id, without.alliance_name], [null, null])
})

test('a correction of a war’s nation copies that nation’s name and alliance', async () => {
  await ingest(nation('wrong-1'), nation('wrong-2'), nation('wrong-3'), alliance('wrong-a'))
  await ingest(member('wrong-3', 'wrong-a'), war('wrong-w', 'wrong-1', 'wrong-2'))
  await ingest(put('war', { id: 'wrong-w', attacker: { nation_id: 'wrong-3' } }))
  assert.deepEqual((await read('/wars/wrong-w')).attacker, {
    nation_id: 'wrong-3',
    nation_name: 'Nation wrong-3',
    alliance_id: 'wrong-a',
    alliance_name: 'Alliance wrong-a',
  })
})

test('a participant keeps the name and alliance of its time, until a fact gives others', async () => {
  await ingest(
    ...['joins-1', 'joins-2', 'joins-3'].map(id => nation(id)),
    alliance('joins-a'),
    alliance('joins-b'),
    member('joins-3', 'joins-a'),
  )
  const joined = (more: Document = {}) =>
    put('war', { id: 'joins-w', participants: [{ side: 'defender', nation_id: 'joins-3', ...more }] })
  const participantOf = async () => ((await read('/wars/joins-w')).participants as Document[])[0]
  await ingest(war('joins-w', 'joins-1', 'joins-2'), joined())
  await ingest(
    put('nation', { id: 'joins-3', nation_name: 'Later' }),
    put('alliance', { id: 'joins-a', name: 'Later' }),
    remove('alliance_member', 'joins-3'),
  )
  const at = { joined_at: '2026-05-21T00:00:00Z', left_at: '2026-05-22T00:00:00Z' }
  await ingest(joined(at))
  const then = {
    side: 'defender',
    nation_id: 'joins-3',
    nation_name: 'Nation joins-3',
    alliance_id: 'joins-a',
    alliance_name: 'Alliance joins-a',
  }
  assert.deepEqual(await participantOf(), { ...then, ...at })
  await ingest(joined({ alliance_id: 'joins-b' }))
  const corrected = { ...then, alliance_id: 'joins-b', alliance_name: 'Alliance joins-b' }
  assert.deepEqual(await participantOf(), { ...corrected, joined_at: null, left_at: null })
  await ingest(remove('nation', 'joins-3'), joined())
  assert.equal((await participantOf())?.nation_name, 'Nation joins-3')
})

test('a participant that left and is given with a later time has joined again', async () => {
  await ingest(
    ...['back-1', 'back-2', 'back-3'].map(id => nation(id)),
    war('back-w', 'back-1', 'back-2', {
      participants: [{ side: 'attacker', nation_id: 'back-3', left_at: '2026-05-22T00:00:00Z' }],
    }),
  )
  await ingest(put('nation', { id: 'back-3', nation_name: 'Later' }))
  const joined_at = '2026-05-23T00:00:00Z'
  await ingest(
    put('war', { id: 'back-w', participants: [{ side: 'attacker', nation_id: 'back-3', joined_at }] }),
  )
  const [participant] = (await read('/wars/back-w')).participants as Document[]
  assert.equal(participant?.nation_name, 'Later')
  const [event] = await list('/events?type=war.joined&nation_id=back-3')
  assert.equal(event?.occurred_at, joined_at)
})

test('the nation that leads an alliance at war is a side, not a participant', async () => {
  await ingest(
    ...['whole-1', 'whole-2', 'whole-3'].map(id => nation(id)),
    alliance('whole'),
    ...['whole-1', 'whole-2'].map(id =>
      member(id, 'whole', { joined_at: `2026-05-0${id.at(-1)}T00:00:00Z` }),
    ),
  )
  await ingest(
    war('whole-w', 'whole-1', 'whole-3', {
      attacker: { alliance_id: 'whole' },
      participants: ['whole-1', 'whole-2'].map(id => ({ side: 'attacker', nation_id: id })),
    }),
  )
  const { attacker, participants } = await read('/wars/whole-w')
  assert.equal((attacker as Document).nation_id, 'whole-1')
  assert.deepEqual(
    (participants as Document[]).map(({ nation_id }) => nation_id),
    ['whole-2'],
  )
})

test('a chunk of facts with long lists is applied in parts', () => {
  const change = (key: string, items: number): Change => ({
    ...{ line: 1, op: 'put', key, at: undefined },
    data: { id: key, participants: Array.from({ length: items }) },
  })
  const changes = [change('w1', 19_999), change('w2', 1), change('w3', 30_000), change('w4', 0)]
  const parts = [...partsOf(changes)].map(part => part.map(({ key }) => key))
  assert.deepEqual(parts, [['w1', 'w2'], ['w3'], ['w4']])
  assert.deepEqual([...partsOf([])], [])
})

test('participants of a deleted war are not found', async () => {
  await ingest(
    ...['gone-1', 'gone-2', 'gone-3'].map(id => nation(id)),
    war('gone-w', 'gone-1', 'gone-2', { participants: [{ side: 'attacker', nation_id: 'gone-3' }] }),
  )
  const found = async () => (await list('/wars?nation_id=gone-3')).map(({ id }) => id)
  assert.deepEqual(await found(), ['gone-w'])
  await ingest(remove('war', 'gone-w'))
  await ingest(war('gone-w', 'gone-1', 'gone-2'))
  assert.deepEqual(await found(), [])
})

test('a battle counts for the sides that its participants were on at its time', async () => {
  const noon = '2026-05-25T12:00:00Z'
  await ingest(
    ...['turns-1', 'turns-2', 'turns-3', 'turns-4'].map(id => nation(id)),
    war('turns-w', 'turns-1', 'turns-2', {
      participants: [
        { side: 'attacker', nation_id: 'turns-3', left_at: noon },
        { side: 'defender', nation_id: 'turns-3', joined_at: noon },
      ],
    }),
    battle('turns-b1', 'turns-w', 'turns-4', 'turns-3', { losses: { defender: { tanks: 1 } } }),
    battle('turns-b2', 'turns-w', 'turns-4', 'turns-3', {
      fought_at: '2026-05-26T12:00:00Z',
      losses: { defender: { tanks: 2 } },
    }),
  )
  assert.deepEqual((await read('/wars/turns-w')).losses, { attacker: { tanks: 1 }, defender: { tanks: 2 } })
})

test('a war of an alliance keeps the nation that led it, until a fact gives another alliance', async () => {
  const leads = (nationId: string, allianceId: string) => member(nationId, allianceId, { rank: 'leader' })
  await ingest(
    ...['leads-1', 'leads-2', 'leads-3'].map(id => nation(id)),
    alliance('leads-a'),
    alliance('leads-b'),
    leads('leads-1', 'leads-a'),
    leads('leads-2', 'leads-b'),
  )
  const declared = (allianceId: string) =>
    war('leads-w', 'leads-1', 'leads-3', { attacker: { alliance_id: allianceId } })
  const attackerOf = async () => {
    const { attacker, attacker_type, defender_type } = await read('/wars/leads-w')
    const { nation_id, alliance_name } = attacker as Document
    return [attacker_type, defender_type, nation_id, alliance_name]
  }
  await ingest(declared('leads-a'))
  assert.deepEqual(await attackerOf(), ['alliance', 'nation', 'leads-1', 'Alliance leads-a'])
  await ingest(member('leads-1', 'leads-b'), leads('leads-3', 'leads-a'))
  await ingest(declared('leads-a'))
  assert.deepEqual(await attackerOf(), ['alliance', 'nation', 'leads-1', 'Alliance leads-a'])
  await ingest(declared('leads-b'))
  assert.deepEqual(await attackerOf(), ['alliance', 'nation', 'leads-2', 'Alliance leads-b'])
})

test('a war may continue one that comes much later in the batch, and one that was deleted', async () => {
  await ingest(nation('next-1'), nation('next-2'))
  const others = Array.from({ length: chunkSize }, () => put('war', { id: 'next-w1', type: 'raid' }))
  await ingest(
    war('next-w1', 'next-1', 'next-2', { follows_war_id: 'next-w0' }),
    ...others,
    war('next-w0', 'next-1', 'next-2'),
  )
  await ingest(remove('war', 'next-w0'))
  await ingest(put('war', { id: 'next-w1', follows_war_id: 'next-w0' }))
  assert.equal((await read('/wars/next-w1')).follows_war_id, 'next-w0')
})

test('swapping attacker and defender of a war swaps its losses', async () => {
  await ingest(nation('turn-1'), nation('turn-2'), war('turn-w', 'turn-1', 'turn-2'))
  await ingest(battle('turn-b', 'turn-w', 'turn-1', 'turn-2', { losses: { attacker: { tanks: 4 } } }))
  assert.deepEqual((await read('/wars/turn-w')).losses, { attacker: { tanks: 4 }, defender: {} })
  await ingest(war('turn-w', 'turn-2', 'turn-1'))
  assert.deepEqual((await read('/wars/turn-w')).losses, { attacker: {}, defender: { tanks: 4 } })
})

test('a war that is given its end has ended', async () => {
  await ingest(nation('end-1'), nation('end-2'), war('end-w', 'end-1', 'end-2'))
  await ingest(put('war', { id: 'end-w', ended_at: '2026-05-25T00:00:00Z', outcome: 'peace' }))
  const data = await read('/wars/end-w')
  assert.deepEqual([data.status, data.outcome, data.ended_at], ['ended', 'peace', '2026-05-25T00:00:00Z'])
})

test('a change of alliance resets rank, date and permission', async () => {
  await ingest(nation('move'), alliance('move-a'), alliance('move-b'))
  await ingest(
    member('move', 'move-a', {
      rank: 'leader',
      joined_at: '2026-05-01T00:00:00Z',
      can_view_treasury: true,
    }),
  )
  await ingest(member('move', 'move-b'))
  const { data } = await chancery.read<{ data: Document[] }>('/alliances/move-b/members')
  assert.deepEqual([data[0]?.rank, data[0]?.joined_at], ['recruit', null])
})

const moving = (id: string): Record<string, Fact> => ({
  'its motto': put('nation', { id, motto: 'New' }),
  'its score': put('nation', { id, national_score: 7 }),
  'null for its city count': put('nation', { id, city_count: null }),
  'a public attribute': put('nation', { id, attributes: { literacy_percent: 50 } }),
})
const notMoving = (id: string): Record<string, Fact> => ({
  'the same fact again': nation(id, { national_score: 5, founded_at: '2026-01-01T00:00:00Z', city_count: 3 }),
  'the same time, written otherwise': put('nation', { id, founded_at: '2026-01-01T00:00:00.000Z' }),
  'a private attribute': put('nation', { id, attributes: { war_weariness: 50 } }),
  'its forces': put('nation', { id, military: { units: { tanks: 9 } } }),
  'its money': put('nation', { id, economy: { credits: 9 } }),
  'its queue': put('nation', { id, production: { queue: [] } }),
  'its assignments': put('nation', { id, assignments: [] }),
  'its player': put('nation', { id, player: 'p-moved' }),
  'notes of moderators': put('nation', { id, moderation_notes: 'x' }),
  'a stronger neighbour': put('nation', { id: 'moved-2', national_score: 1000 }),
  'joining an alliance': member(id, 'moved-a'),
  'the name of its alliance': put('alliance', { id: 'moved-a', name: 'Other' }),
  'a war': war('moved-w', id, 'moved-2'),
})

for (const [isMoving, changes] of [
  [true, moving('moved')],
  [false, notMoving('moved')],
] as const) {
  for (const [name, fact] of Object.entries(changes)) {
    test(`updated_at of a nation ${isMoving ? 'moves' : 'does not move'} with ${name}`, async () => {
      await ingest(
        remove('nation', 'moved'),
        nation('moved', { national_score: 5, founded_at: '2026-01-01T00:00:00Z', city_count: 3 }),
        nation('moved-2'),
        alliance('moved-a'),
      )
      const before = await read('/nations/moved')
      await ingest({ ...fact, at: '2100-01-01T00:00:00Z' })
      const after = await read('/nations/moved')
      assert.equal(after.updated_at, isMoving ? '2100-01-01T00:00:00Z' : before.updated_at)
    })
  }
}

test('updated_at of an alliance does not move with members, treaties, wars or its treasury', async () => {
  await ingest(alliance('calm'), alliance('calm-2'), nation('calm-1'), nation('calm-2'))
  const before = await read('/alliances/calm')
  await ingest(
    ...[
      member('calm-1', 'calm', { rank: 'leader' }),
      put('nation', { id: 'calm-1', national_score: 12.5 }),
      put('treaty', { id: 'calm-t', alliance_ids: ['calm', 'calm-2'], type: 'non_aggression' }),
      war('calm-w', 'calm-1', 'calm-2'),
      put('alliance', { id: 'calm', treasury: { credits: 5 }, moderation_notes: 'x' }),
    ].map(fact => ({ ...fact, at: '2100-01-01T00:00:00Z' })),
  )
  const now = await read('/alliances/calm')
  assert.equal(now.updated_at, before.updated_at)
  assert.deepEqual([now.member_count, now.total_score], [1, 12.5])
  await ingest(put('alliance', { id: 'calm', recruiting: true }, '2100-01-01T00:00:00Z'))
  assert.equal((await read('/alliances/calm')).updated_at, '2100-01-01T00:00:00Z')
})

test('updated_at of a war moves with its end, not with its battles', async () => {
  await ingest(nation('upd-1'), nation('upd-2'), war('upd-w', 'upd-1', 'upd-2'))
  const before = await read('/wars/upd-w')
  await ingest({
    ...battle('upd-b', 'upd-w', 'upd-1', 'upd-2', { losses: { attacker: { tanks: 1 } } }),
    at: '2100-01-01T00:00:00Z',
  })
  const fought = await read('/wars/upd-w')
  assert.equal(fought.updated_at, before.updated_at)
  assert.equal(fought.battles_count, 1)
  await ingest(put('war', { id: 'upd-w', status: 'ended' }, '2100-01-01T00:00:00Z'))
  assert.equal((await read('/wars/upd-w')).updated_at, '2100-01-01T00:00:00Z')
})

test('updated_at never runs backwards', async () => {
  await ingest(put('nation', { id: 'back', nation_name: 'A' }, '2026-05-10T00:00:00Z'))
  await ingest(put('nation', { id: 'back', nation_name: 'B' }, '2026-05-09T00:00:00Z'))
  const data = await read('/nations/back')
  assert.deepEqual([data.nation_name, data.updated_at], ['B', '2026-05-10T00:00:00Z'])
})

test('an application is not membership', async () => {
  await ingest(nation('apply'), alliance('apply-a'))
  const { events } = await ingest(
    put('alliance_application', {
      nation_id: 'apply',
      alliance_id: 'apply-a',
      applied_at: '2026-05-01T00:00:00Z',
    }),
  )
  assert.equal(events, 0)
  assert.equal((await read('/nations/apply')).alliance, null)
  assert.equal((await read('/alliances/apply-a')).member_count, 0)
  const { data } = await chancery.read<{ data: unknown[] }>('/alliances/apply-a/members')
  assert.deepEqual(data, [])
})

test('a status of the game’s own sets the fixed status, and another fixed status clears it', async () => {
  const statusAfter = async (data: Document) => {
    await ingest(put('nation', { id: 'own-status', ...data }))
    const { status, game_status } = await read('/nations/own-status')
    return [status, game_status]
  }
  const idsOf = async (status: string) =>
    (await list(`/nations?status=${status}&ids=own-status`)).map(({ id }) => id)
  assert.deepEqual(await statusAfter({ nation_name: 'Own', game_status: 'banned' }), ['inactive', 'banned'])
  assert.deepEqual(await statusAfter({ motto: 'Still' }), ['inactive', 'banned'])
  assert.deepEqual(await statusAfter({ status: 'inactive' }), ['inactive', 'banned'])
  assert.deepEqual(await statusAfter({ status: 'vacation' }), ['vacation', null])
  assert.deepEqual(await statusAfter({ status: 'inactive', game_status: 'banned' }), ['inactive', 'banned'])
  assert.deepEqual(await statusAfter({ game_status: null }), ['inactive', null])
  assert.deepEqual(await statusAfter({ status: 'active', game_status: null }), ['active', null])
  assert.deepEqual(await idsOf('active'), ['own-status'])
  assert.deepEqual(await statusAfter({ game_status: 'banned' }), ['inactive', 'banned'])
  assert.deepEqual(await idsOf('inactive'), ['own-status'])
  assert.deepEqual(await idsOf('active'), [])
})

test('an outcome of the game’s own sets the fixed outcome, and counts as it', async () => {
  await ingest(nation('own-a'), nation('own-b'), war('own-war', 'own-a', 'own-b'))
  const outcomeAfter = async (data: Document) => {
    await ingest(put('war', { id: 'own-war', ...data }))
    const { outcome, game_outcome } = await read('/wars/own-war')
    return [outcome, game_outcome]
  }
  assert.deepEqual(await outcomeAfter({}), [null, null])
  const ended = { ended_at: '2026-05-22T10:00:00Z' }
  assert.deepEqual(await outcomeAfter({ ...ended, game_outcome: 'white_peace' }), ['peace', 'white_peace'])
  assert.deepEqual(await outcomeAfter({ outcome: 'attacker_victory' }), ['attacker_victory', null])
  assert.deepEqual((await read('/nations/own-a')).wars, {
    active_offensive: 0,
    active_defensive: 0,
    won: 1,
    lost: 0,
  })
  assert.deepEqual(await outcomeAfter({ game_outcome: 'white_peace' }), ['peace', 'white_peace'])
  assert.equal(((await read('/nations/own-a')).wars as { won: number }).won, 0)
  assert.deepEqual(await outcomeAfter({ outcome: null }), [null, null])
})

test('a list among the attributes is replaced as a whole, and null is none', async () => {
  const languagesAfter = async (attributes: object) => {
    await ingest(nation('listed', { attributes }))
    const data = await read('/nations/listed')
    return (data.attributes as { languages?: unknown }).languages
  }
  assert.deepEqual(await languagesAfter({ languages: ['Borean', 'Tidewater'] }), ['Borean', 'Tidewater'])
  assert.deepEqual(await languagesAfter({ literacy_percent: 3 }), ['Borean', 'Tidewater'])
  assert.deepEqual(await languagesAfter({ languages: ['Tidewater'] }), ['Tidewater'])
  assert.deepEqual(await languagesAfter({ languages: [] }), [])
  assert.equal(await languagesAfter({ languages: null }), null)
  const most = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(100, 'x'))
  assert.deepEqual(await languagesAfter({ languages: most }), most)
})
