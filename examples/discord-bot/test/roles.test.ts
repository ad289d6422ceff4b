import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roleChanges } from '../src/roles.ts'
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

const cases: [string, [allianceId: string | null, rank: string | null] | null, give: string[]][] = [
  ['an account with a nation has the roles of the verified', [null, null], ['citizen']],
  ['a member has the roles of the alliance', ['a7', 'member'], ['citizen', 'pact']],
  ['an officer also has the roles of the rank', ['a7', 'officer'], ['citizen', 'pact', 'council']],
  ['the same rank in another alliance is not the rank of this one', ['a8', 'officer'], ['citizen']],
  ['a rank without an alliance is that rank in any', ['a8', 'leader'], ['citizen', 'chiefs']],
  ['an account without a nation has none', null, []],
]
for (const [title, membership, give] of cases)
  test(title, () => {
    const [allianceId = null, rank = null] = membership ?? []
    assert.deepEqual(roleChanges([], membership && { allianceId, rank }, rules), { give, remove: [] })
  })

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
