import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, type EventKind } from '@chancery/contract'
import { FormerTexts } from '../../src/redaction/former-texts.ts'
import { replaceMentions } from '../../src/redaction/mentions.ts'
import { renamedSummary } from '../../src/redaction/summaries.ts'

function formerly(texts: [string, string | null][], key = 'n5') {
  const former = new FormerTexts(key)
  for (const [text, replacement] of texts) former.add(text, replacement)
  return former
}

test('a former text is replaced wherever it stands, in any case, the longest first', () => {
  const former = formerly([
    ['Valdoria', 'Former'],
    ['Valdoria Magna', 'Former'],
    ['V.* (x)', 'Former'],
  ])
  assert.equal(former.replaceIn('VALDORIA magna and Valdoria’s heirs'), 'Former and Former’s heirs')
  assert.equal(former.replaceIn('Neovaldorians and V.* (X)'), 'NeoFormerns and Former')
})

test('a short text is replaced only as a word of its own', () => {
  const former = formerly([['NP', 'FA']])
  assert.equal(former.replaceIn('[NP] is no NPC; np, Ünp'), '[FA] is no NPC; FA, Ünp')
  assert.deepEqual(former.distinctive, [])
})

test('what was taken away leaves a mark; the id that stood for a name, and what stays, are left alone', () => {
  const former = formerly([
    ['Why not?', null],
    ['n5', 'Former'],
    ['Same name', 'Same name'],
    ['  ', 'Former'],
  ])
  assert.equal(former.replaceIn('They said: why not? n5  Same name'), 'They said: … n5  Same name')
  assert.deepEqual(former.distinctive, ['Why not?'])
})

test('mentions of a thing are found in data of any shape, and nothing else is touched', () => {
  const found: string[] = []
  const nation = { nation_id: 'n5', nation_name: 'Old' }
  const other = { nation_id: 'n6', nation_name: 'Old' }
  const data = { sides: [nation, other], deep: { nation, old_name: 'Older' }, old_name: 'Kept', text: null }
  const replacement = { resource: 'nation', key: 'n5', texts: { nation_name: 'New', motto: null } } as const
  const renamed = { nation_id: 'n5', nation_name: 'New' }
  assert.deepEqual(
    replaceMentions(data, replacement, (field, text) => found.push(`${field} ${text}`)),
    { sides: [renamed, other], deep: { nation: renamed, old_name: 'New' }, old_name: 'Kept', text: null },
  )
  assert.deepEqual(found, ['nation_name Old', 'nation_name Old', 'nation_name Older'])
  assert.equal(
    replaceMentions(other, replacement, () => assert.fail()),
    other,
  )
})

test('a text can be taken away, and what told nothing goes on telling nothing', () => {
  const replacement = { resource: 'war', key: 'w1', texts: { reason: null } } as const
  const ignore = () => undefined
  const war = (reason: string | null) => ({ war: { war_id: 'w1', type: null, reason } })
  assert.deepEqual(replaceMentions(war('Because'), replacement, ignore), war(null))
  const filled = { ...replacement, texts: { reason: 'Unsaid' } }
  assert.deepEqual(replaceMentions(war(null), filled, ignore), war(null))
})

const kind = contractFor(demoProfile).eventKinds['strategic_weapon.launched'] as EventKind
const data = { weapon: 'nuclear_missile', attacker_nation_id: 'n5', defender_nation_id: 'n6' }
const rename = (summary: string, found: string[] = []) =>
  renamedSummary(
    kind,
    { summary, data },
    { key: 'n5', name: 'Former', current: { nation: id => `now ${id}` }, found: text => found.push(text) },
  )

test('a sentence keeps the name that another had then', () => {
  const found: string[] = []
  assert.equal(
    rename('A (b) launched a nuclear missile at Then $1.', found),
    'Former launched a nuclear missile at Then $1.',
  )
  assert.deepEqual(found, ['A (b)'])
})

test('a sentence that was worded otherwise is made with the names of now', () => {
  assert.equal(rename('A fired on B.'), 'Former launched a nuclear missile at now n6.')
})
