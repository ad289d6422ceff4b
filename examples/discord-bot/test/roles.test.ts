import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { roleChanges, rolesDue } from '../src/roles/decide.ts'
import { RoleRefused, type Roles, settle } from '../src/roles/settle.ts'
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
  const due = (allianceId: string | null, rank: string | null) => [...rolesDue({ allianceId, rank }, rules)]

  test('whoever holds a nation has the roles of the verified', () => {
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
  test('whoever holds no nation has none', () => {
    assert.deepEqual([...rolesDue(null, rules)], [])
  })
})

describe('what changes', () => {
  test('what is due and not there is given, what is there and not due is taken', () => {
    assert.deepEqual(roleChanges(['pact', 'council'], new Set(['citizen', 'pact']), rules), {
      give: ['citizen'],
      take: ['council'],
    })
  })
  test('a role that no rule names is left alone', () => {
    assert.deepEqual(roleChanges(['moderator'], new Set(), rules), { give: [], take: [] })
  })
  test('a role that one rule takes and another gives stays', () => {
    const twice = [rule('friend', 'a7'), rule('friend', 'a8')]
    const due = rolesDue({ allianceId: 'a8', rank: null }, twice)
    assert.deepEqual(roleChanges(['friend'], due, twice), { give: [], take: [] })
  })
})

describe('settling', () => {
  const someone = { guild: 'g1', account: 'u1' }
  const rolesThat = (roles: Partial<Roles>): Roles => ({
    held: async () => [],
    give: async () => {},
    take: async () => {},
    ...roles,
  })

  test('one role that may not be handed out does not keep the others back', async () => {
    const roles = rolesThat({
      give: async (_guild, _account, role) => {
        if (role === 'citizen') throw new RoleRefused('above')
      },
    })
    const settled = await settle(roles, someone, { allianceId: 'a7', rank: null }, rules)
    assert.deepEqual(settled, { given: ['pact'], taken: [], refused: ['citizen'] })
  })
  test('whoever has left the guild is given nothing', async () => {
    const roles = rolesThat({ held: async () => undefined, give: () => assert.fail('nobody is there') })
    assert.deepEqual(await settle(roles, someone, { allianceId: 'a7', rank: null }, rules), {
      given: [],
      taken: [],
      refused: [],
    })
  })
  test('another failure is told to the caller', async () => {
    const roles = rolesThat({ give: () => Promise.reject(new Error('Discord is away')) })
    await assert.rejects(settle(roles, someone, { allianceId: null, rank: null }, rules), /Discord is away/)
  })
})
