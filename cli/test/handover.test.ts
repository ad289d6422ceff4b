import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
import { startStubApi, token } from './stub-api.ts'

const made = {
  url: 'https://api.game.example/developers/#handover=a-token',
  expires_at: '2026-03-01T12:01:00Z',
}
const respond = () => ({ status: 201, body: made })

test('handover prints the link, and with --json exactly url and expires_at', async t => {
  const api = await startStubApi(t, { respond })
  const people = await chancery(['handover', '--nation', 'n42'], api.variables)
  assert.equal(people.status, 0)
  assert.match(people.output, /^https:\/\/api\.game\.example\/developers\/#handover=a-token\n/)
  const { output } = await chancery(
    ['handover', '--player', 'p7', '--landing', 'keys', '--json'],
    api.variables,
  )
  assert.deepEqual(JSON.parse(output), made)
  assert.deepEqual(api.calls, [
    { method: 'POST', path: '/handovers', token, body: { nation_id: 'n42' } },
    { method: 'POST', path: '/handovers', token, body: { player_id: 'p7', landing: 'keys' } },
  ])
})

for (const words of [
  ['handover'],
  ['handover', '--nation', 'n1', '--player', 'p1'],
  ['handover', '--nation', 'n1', '--landing', 'elsewhere'],
])
  test(`wrong usage exits with 2 and sends nothing: ${words.join(' ')}`, async t => {
    const api = await startStubApi(t, { respond })
    const { status, output, messages } = await chancery(words, api.variables)
    assert.deepEqual([status, output, api.calls], [2, '', []])
    assert.notEqual(messages, '')
  })

test('a response without a link is one clear error', async t => {
  const api = await startStubApi(t, { respond: () => ({ status: 201, body: { expires_at: null } }) })
  const { status, messages } = await chancery(['handover', '--nation', 'n1'], api.variables)
  assert.equal(status, 1)
  assert.match(
    messages,
    /^chancery: unexpected response to handovers\.create: must have required properties url\. Is it a Chancery of this version\?\n$/,
  )
})

test('--help shows examples', async () => {
  const { status, output } = await chancery(['handover', '--help'])
  assert.equal(status, 0)
  assert.match(output, /Examples:\n +chancery handover /)
})
