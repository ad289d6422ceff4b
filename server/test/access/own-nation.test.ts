import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Scope, scopeNames, sectionScopes } from '@chancery/contract'
import { assertError, readResponse } from '../http/responses.ts'
import { ownSections, playerOf, secrets, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { pluck } from '../support/pluck.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest(smallWorld())

type Own = Record<string, unknown> & {
  id: string
  attributes: Record<string, unknown>
  alliance: { alliance_id: string } | null
}
const own = async (key: string, query = '') =>
  (await chancery.read<{ data: Own }>(`/me/nation${query}`, { key })).data
const request = async (path: string, key?: string) =>
  readResponse(await chancery.get(path, key === undefined ? {} : { key }))
/** Without waiting for a ranking round: a change of leader applies from the next request on. */
const ingest = (fact: Fact) => chancery.ingest([fact], { waits: false })
const put = (data: object) => ingest({ op: 'put', resource: 'nation', data })

const sectionOf: Partial<Record<Scope, keyof typeof ownSections>> = {
  'military.read': 'military',
  'economy.read': 'economy',
  'production.read': 'production',
  'alliance.read': 'assignments',
}
const sections = Object.values(sectionOf)

/** Every set of the scopes that open sections. */
const subsets = Array.from({ length: 2 ** sectionScopes.length }, (_, bits) =>
  sectionScopes.filter((_, place) => bits & (1 << place)),
)

test('a key reads the sections of its nation that its scopes open, and no others', async () => {
  const publicNation = (await chancery.read<{ data: Own }>('/nations/n1')).data
  assert.equal(publicNation.military, undefined)
  for (const granted of subsets) {
    const { key } = await chancery.makeKey({ nation_id: 'n1' }, ['nation.read', ...granted])
    const nation = await own(key)
    for (const scope of sectionScopes) {
      const section = sectionOf[scope]
      assert.ok(section)
      const expected = granted.includes(scope) ? ownSections[section] : undefined
      assert.deepEqual(nation[section], expected, `${section} with ${granted}`)
      assert.equal(section in nation, granted.includes(scope))
    }
    const { war_weariness, ...attributes } = nation.attributes
    assert.equal(war_weariness !== undefined, granted.includes('military.read'))
    const rest = Object.entries({ ...nation, attributes }).filter(
      ([name]) => !sections.some(each => each === name),
    )
    assert.deepEqual(Object.fromEntries(rest), publicNation)
  }
})

test('each scope of a section alone reads the own nation', async () => {
  for (const scope of sectionScopes) {
    const { key } = await chancery.makeKey({ nation_id: 'n1' }, [scope])
    assert.equal((await own(key)).id, 'n1')
  }
  const { key } = await chancery.makeKey({ nation_id: 'n1' }, ['treasury.read'])
  assertError(
    await request('/me/nation', key),
    'insufficient_scope',
    'treasury.read does not open the nation',
  )
})

test('requested sections are returned, or the missing scope is named', async () => {
  for (const granted of subsets) {
    const { key } = await chancery.makeKey({ nation_id: 'n1' }, ['nation.read', ...granted])
    for (const wanted of subsets.filter(each => each.length > 0)) {
      const missing = wanted.filter(scope => !granted.includes(scope))
      const path = `/me/nation?include=${wanted.map(scope => sectionOf[scope]).join(',')}`
      const response = await request(path, key)
      if (missing.length === 0) assert.equal(response.status, 200, path)
      else {
        const message = assertError(response, 'insufficient_scope', path)
        assert.ok(missing.some(scope => message.includes(scope)))
      }
    }
  }
})

test('no scope opens an admin_only field', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' }, scopeNames)
  for (const path of [
    '/me/nation',
    '/me/key',
    '/alliances/a1?include=treasury',
    '/alliances/a1/members',
    '/nations',
  ]) {
    const { status, body } = await request(path, key)
    assert.equal(status, 200)
    for (const secret of [
      secrets.moderation,
      playerOf('n1'),
      'can_view_treasury',
      'moderation_notes',
      '"player"',
    ])
      assert.ok(!body.includes(secret), `${path}: ${secret}`)
  }
})

test('no other player reads private fields, whatever scopes the key holds', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n2' }, scopeNames)
  for (const path of [
    '/nations/n1',
    '/nations?ids=n1',
    '/nations?search=Valdoria',
    '/alliances/a1/members',
    '/me/nation',
  ]) {
    const { status, body } = await request(path, key)
    assert.equal(status, 200)
    for (const secret of [
      secrets.tanks,
      secrets.reserves,
      secrets.missiles,
      secrets.credits,
      secrets.queued,
      secrets.note,
    ])
      assert.ok(!body.includes(String(secret)), `${path}: ${secret}`)
  }
})

test('a player who loses the nation loses its private fields at once, and the new leader gets them', async () => {
  await ingest({
    op: 'put',
    resource: 'nation',
    data: { id: 'n8', nation_name: 'Handover', player: 'before', ...ownSections },
  })
  const { key: before } = await chancery.makeKey({ nation_id: 'n8' }, scopeNames)
  const { key: later } = await chancery.makeKey({ player_id: 'later' }, scopeNames)
  assert.deepEqual((await own(before)).military, ownSections.military)
  assertError(await request('/me/nation', later), 'not_found', 'not yet')

  await put({ id: 'n8', player: 'later' })
  assertError(await request('/me/nation', before), 'not_found', 'lost')
  const { data } = await chancery.read<{ data: { nation: unknown } }>('/me/key', { key: before })
  assert.equal(data.nation, null)
  assert.equal((await own(later)).id, 'n8')

  await put({ id: 'n8', player: null })
  assertError(await request('/me/nation', later), 'not_found', 'no player leads it')
  await put({ id: 'n8', player: 'before' })
  assert.equal((await own(before)).id, 'n8')
  await ingest({ op: 'delete', resource: 'nation', id: 'n8' })
  assertError(await request('/me/nation', before), 'not_found', 'it is gone')
})

test('sections that the game never sent are null for their owner', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n7' }, scopeNames)
  const nation = await own(key, '?include=military,economy,production,assignments')
  for (const section of sections) assert.equal(nation[section], null, section)
})

test('an assignment is shown only while the nation is a member of the alliance that made it', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n3' }, ['alliance.read'])
  const membership = (alliance_id: string) =>
    ingest({ op: 'put', resource: 'alliance_member', data: { nation_id: 'n3', alliance_id } })
  assert.deepEqual((await own(key)).assignments, ownSections.assignments)
  await ingest({ op: 'delete', resource: 'alliance_member', id: 'n3' })
  assert.deepEqual((await own(key)).assignments, [])
  await membership('a2')
  assert.deepEqual((await own(key)).assignments, [])
  await membership('a1')
  assert.deepEqual((await own(key)).assignments, ownSections.assignments)
})

test('an application is not a membership in any response', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n4' }, scopeNames)
  assert.equal((await own(key)).alliance, null)
  assert.equal((await chancery.read<{ data: Own }>('/nations/n4')).data.alliance, null)
  const verified = await chancery.read<{ data: { alliance: null } }>(
    `/discord/verify/${await chancery.makeCode('n4')}`,
  )
  assert.equal(verified.data.alliance, null)
  const members = await chancery.read<{ data: { nation_id: string }[]; pagination: { total: number } }>(
    '/alliances/a1/members',
  )
  assert.deepEqual([pluck(members.data, 'nation_id'), members.pagination.total], [['n1', 'n2', 'n3'], 3])
  const alliance = await chancery.read<{ data: { member_count: number } }>('/alliances/a1')
  assert.equal(alliance.data.member_count, 3)
  const listed = await chancery.read<{ pagination: { total: number } }>('/nations?alliance_id=a1')
  assert.equal(listed.pagination.total, 3)
  assertError(await request('/alliances/a1?include=treasury', key), 'not_entitled', 'an applicant')
})
