import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RoleRefusedError, type Roles, roleChanges, syncRoles } from '../src/roles.ts'
import type { Rule } from '../src/store.ts'

const rule = (role: string, allianceId: string | null = null, rank: string | null = null): Rule => ({
  role,
  allianceId,
  rank,
})
const rules = [
  rule('citizen'),
  rule('pact', 'a7'),
  rule('council', 'a7', 'officer'),
  rule('chiefs', null, 'leader'),
]

describe('which roles are due', () => {
  const due = (allianceId: string | null, rank: string | null) =>
    roleChanges([], { allianceId, rank }, rules).give

  test('an account with a nation has the roles of the verified', () => {
    assert.deepEqual(due(null, null), ['citizen'])
  })
  test('a member has the roles of the alliance, and of the rank', () => {
    assert.deepEqual(due('a7', 'member'), ['citizen', 'pact'])
    assert.deepEqual(due('a7', 'officer'), ['citizen', 'pact', 'council'])
  })
  test('the same rank in another alliance is not the rank of this one', () => {
    assert.deepEqual(due('a8', 'officer'), ['citizen'])
  })
  test('a rank without an alliance is that rank in any', () => {
    assert.deepEqual(due('a8', 'leader'), ['citizen', 'chiefs'])
  })
  test('an account without a nation has none', () => {
    assert.deepEqual(roleChanges([], null, rules).give, [])
  })
})

describe('what changes', () => {
  test('missing roles are given, and roles that are not due are removed', () => {
    assert.deepEqual(roleChanges(['pact', 'council'], { allianceId: 'a7', rank: 'member' }, rules), {
      give: ['citizen'],
      remove: ['council'],
    })
  })
  test('a role without a rule is not changed', () => {
    assert.deepEqual(roleChanges(['moderator'], null, rules), { give: [], remove: [] })
  })
  test('a role that one of two rules gives stays', () => {
    const twice = [rule('friend', 'a7'), rule('friend', 'a8')]
    const membership = { allianceId: 'a8', rank: null }
    assert.deepEqual(roleChanges(['friend'], membership, twice), { give: [], remove: [] })
  })
})

describe('syncing', () => {
  const someone = { guild: 'g1', account: 'u1' }
  const rolesThat = (roles: Partial<Roles>): Roles => ({
    held: async () => [],
    give: async () => {},
    remove: async () => {},
    ...roles,
  })

  test('a refused role does not prevent the others', async () => {
    const roles = rolesThat({
      give: async (_guild, _account, role) => {
        if (role === 'citizen') throw new RoleRefusedError('above')
      },
    })
    const result = await syncRoles(roles, someone, { allianceId: 'a7', rank: null }, rules)
    assert.deepEqual(result, { given: ['pact'], removed: [], refused: ['citizen'] })
  })
  test('an account that left the guild is given nothing', async () => {
    const roles = rolesThat({ held: async () => undefined, give: () => assert.fail('no member') })
    assert.deepEqual(await syncRoles(roles, someone, { allianceId: 'a7', rank: null }, rules), {
      given: [],
      removed: [],
      refused: [],
    })
  })
  test('another failure is thrown', async () => {
    const roles = rolesThat({ give: () => Promise.reject(new Error('Discord is unavailable')) })
    await assert.rejects(
      syncRoles(roles, someone, { allianceId: null, rank: null }, rules),
      /Discord is unavailable/,
    )
  })
})
