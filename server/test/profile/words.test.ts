import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parseProfile } from '@chancery/contract'
import { closeAfter } from '../support/close-after.ts'
import { pluck } from '../support/pluck.ts'
import { changed, createGameHost, ingest, put, read, smallGame } from './games.ts'

test('the profile in the documentation is valid', async () => {
  const page = await readFile(new URL('../../../docs/operations/game-profile.md', import.meta.url), 'utf8')
  const [, json = ''] = /<!-- game-profile: parsed by a test -->\s*```json\n([\s\S]*?)```/.exec(page) ?? []
  const { name, units, ranks } = parseProfile(json)
  assert.equal(name, 'Imperium Minor')
  assert.deepEqual(pluck([...units, ...ranks], 'key'), [
    'legionary',
    'cavalry',
    'galley',
    'consul',
    'tribune',
    'citizen',
  ])
})

test('losses that are no longer public are withheld and rejected; the log keeps its events', async t => {
  const host = closeAfter(await createGameHost(), t)
  const before = await host.start(smallGame)
  await ingest(before, [
    ...['n1', 'n2'].map(id => put('nation', { id, nation_name: id })),
    put('conflict', {
      id: 'c1',
      name: 'Punic war',
      started_at: '2026-05-01T00:00:00Z',
      sides: [{ name: 'Rome', alliances: [{ alliance_id: 'a1' }] }],
    }),
    put('alliance', { id: 'a1', name: 'Senate' }),
    put('alliance_member', { nation_id: 'n1', alliance_id: 'a1', rank: 'consul' }),
    put('war', {
      id: 'w1',
      attacker: { nation_id: 'n1', alliance_id: 'a1' },
      defender: { nation_id: 'n2' },
      declared_at: '2026-05-01T00:00:00Z',
      conflict_id: 'c1',
    }),
  ])
  const battle = (id: string, losses: object) =>
    put('battle', {
      id,
      war_id: 'w1',
      fought_at: '2026-05-02T00:00:00Z',
      attacker_nation_id: 'n1',
      defender_nation_id: 'n2',
      losses: { attacker: losses },
    })
  await ingest(before, [battle('b1', { cavalry: 31, legionary: 5 })])
  const paths = ['/wars', '/wars/w1', '/wars/w1/battles', '/global-conflicts']
  for (const path of paths) assert.match((await read(before, path)).text, /"cavalry":31/, path)
  await before.close()

  const closed = changed(profile => {
    for (const unit of profile.units) if (unit.key === 'cavalry') unit.shows_in_losses = false
  })
  const later = await host.start(closed)
  for (const path of paths) {
    const { text } = await read(later, path)
    assert.doesNotMatch(text, /cavalry/, path)
    assert.match(text, /"legionary":5/, path)
  }
  assert.match((await read(later, '/events?type=battle.fought')).text, /"cavalry":31/)
  await assert.rejects(ingest(later, [battle('b2', { cavalry: 1 })]), /cavalry/)
  await ingest(later, [battle('b3', { legionary: 2 })])
  assert.doesNotMatch((await read(later, '/wars/w1')).text, /cavalry/)
  assert.match((await read(later, '/wars/w1')).text, /"legionary":7/)
  await assert.rejects(host.start(smallGame), /units\.cavalry: 1 battle, 1 event of the log use the word/)
})

test('a removed key with a count of 0 is in no response', async t => {
  const host = closeAfter(await createGameHost(), t)
  const before = await host.start(smallGame)
  await ingest(before, [
    put('nation', {
      id: 'n1',
      nation_name: 'Roma',
      player: 'p1',
      military: { units: { legionary: 4, galley: 0 } },
      economy: { resources: { marble: 0, iron: 2 } },
    }),
  ])
  const { key } = await before.makeKey({ player_id: 'p1' }, ['military.read', 'economy.read'])
  await before.close()
  const fewer = changed(profile => {
    profile.units = profile.units.filter(({ key }) => key !== 'galley')
    profile.resources = profile.resources.filter(({ key }) => key !== 'marble')
  })
  const later = await host.start(fewer)
  const { text } = await read(later, '/me/nation', key)
  assert.match(text, /"units":\{"legionary":4\}/)
  assert.match(text, /"resources":\{"iron":2\}/)
})
