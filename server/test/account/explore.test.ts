import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoProfile, type Exploration } from '@chancery/contract'
import { canaryWorld } from '../disclosure/canary-world.ts'
import { mayKnow } from '../disclosure/clearance.ts'
import { viewers } from '../disclosure/viewers.ts'
import { ids } from '../disclosure/world.ts'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { assertRejected, signIn, startAccounts } from './browser.ts'

const { canaries, facts, profile } = canaryWorld(demoProfile)
const chancery = closeAfter(await startAccounts(facts(), {}, { profile }))

const entities = [
  ...ids.nation.map(id => ({ kind: 'nation', id })),
  ...ids.alliance.map(id => ({ kind: 'alliance', id })),
] as const

const foundIn = (text: string) =>
  new Set(canaries.filter(canary => text.includes(canary.text)).map(canary => canary.text))

/** Each player once: a signed-in player sees everything that any key of theirs could read, so scopes do not matter. */
const players = viewers.filter(
  ({ player }, index) =>
    player !== undefined && viewers.findIndex(other => other.player === player) === index,
)

for (const viewer of players) {
  test(`${viewer.name} sees their own secrets in their own view only`, async () => {
    const { player = '' } = viewer
    const browser = await signIn(chancery, { player_id: player })
    for (const { kind, id } of entities) {
      const { views, fields, ...rest } = await browser.requestOk<Exploration>(
        'GET',
        `/explore?kind=${kind}&id=${id}`,
      )
      assert.deepEqual([...foundIn(JSON.stringify([views.anonymous, views.stranger, fields, rest]))], [])
      const cleared = canaries.filter(
        ({ slot, id: place }) => slot.resource === kind && place === id && mayKnow(viewer, slot, id),
      )
      const seen = [...foundIn(JSON.stringify(views.self))]
      assert.deepEqual(seen.sort(), cleared.map(({ text }) => text).sort(), `${kind} ${id}`)
      assert.ok('id' in views.self && views.self.id === id)
    }
  })
}

test('the views of others are those of the API', async () => {
  const browser = await signIn(chancery, { player_id: 'p_leader' })
  const outsider = await chancery.makeKey({ player_id: 'p_outsider' }, ['military.read', 'treasury.read'])
  const self = await chancery.makeKey({ player_id: 'p_leader' }, [
    'military.read',
    'economy.read',
    'production.read',
    'alliance.read',
    'treasury.read',
  ])
  for (const { kind, id } of entities) {
    const path = `/${kind}s/${id}`
    const { views } = await browser.requestOk<Exploration>('GET', `/explore?kind=${kind}&id=${id}`)
    const { data } = await chancery.read<{ data: object }>(path)
    assert.deepEqual(views.anonymous, data, path)
    assert.deepEqual(
      views.stranger,
      (await chancery.read<{ data: object }>(path, { key: outsider.key })).data,
      path,
    )
  }
  const own = await browser.requestOk<Exploration>('GET', '/explore?kind=nation&id=n_leader')
  assert.deepEqual(
    own.views.self,
    (await chancery.read<{ data: object }>('/me/nation', { key: self.key })).data,
  )
  const alliance = await browser.requestOk<Exploration>('GET', '/explore?kind=alliance&id=a_one')
  const response = await chancery.read<{ data: object }>('/alliances/a_one?include=treasury', {
    key: self.key,
  })
  assert.deepEqual(alliance.views.self, response.data)
})

test('each readable field is listed with its class, also without access to its value', async () => {
  const browser = await signIn(chancery, { player_id: 'p_outsider' })
  const { fields, views } = await browser.requestOk<Exploration>('GET', '/explore?kind=nation&id=n_leader')
  const named = new Map(fields.map(field => [field.name, field]))
  for (const [name, scope] of [
    ['military', 'military.read'],
    ['attributes.own_string', 'economy.read'],
  ] as const)
    assert.deepEqual([named.get(name)?.class, named.get(name)?.scope], ['player_private', scope], name)
  assert.deepEqual([named.get('nation_name')?.class, named.get('nation_name')?.scope], ['public', null])
  assert.equal(named.get('assignments')?.class, 'alliance_private')
  assert.ok(fields.every(({ description }) => description !== ''))
  const text = JSON.stringify(fields)
  for (const name of ['moderation_notes', 'player"', 'kept_string', 'admin_only'])
    assert.ok(!text.includes(name), name)
  assert.ok(!('military' in views.self))
})

test('two worlds that differ in secrets of others have byte-identical explorations', async () => {
  const browser = await signIn(chancery, { player_id: 'p_outsider' })
  const explored = async () => {
    const responses = []
    for (const { kind, id } of entities) {
      const { status, headers, text } = await browser.request('GET', `/explore?kind=${kind}&id=${id}`)
      responses.push([status, [...headers].filter(([name]) => !/^(date|x-request-id)$/.test(name)), text])
    }
    return responses
  }
  const before = await explored()
  await chancery.ingest([
    put('nation', { id: 'n_leader', military: null, moderation_notes: 'other' }),
    put('alliance', { id: 'a_one', treasury: { credits: 1 } }),
    put('nation', { id: 'n_member', economy: { credits: 2 }, attributes: { own_string: 'x' } }),
  ])
  assert.deepEqual(await explored(), before)
})

test('an unknown item and an invalid query are rejected', async () => {
  const browser = await signIn(chancery, { player_id: 'p_leader' })
  for (const path of ['kind=nation&id=none', 'kind=alliance&id=n_leader', 'kind=nation&id=%20'])
    assertRejected(await browser.request('GET', `/explore?${path}`), 404, 'not_found', path)
  const wrong = [
    '',
    'kind=nation',
    'kind=war&id=w_1',
    'kind=nation&id=',
    'kind=nation&id=a&id=b',
    'kind=nation&id=a&x=1',
  ]
  for (const path of [...wrong, 'kind=nation&id=%00', `kind=nation&id=${'x'.repeat(65)}`])
    assertRejected(await browser.request('GET', `/explore?${path}`), 400, 'invalid_request', path)
})
