import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startStubApi, token } from './stub-api.ts'

const made = {
  url: 'https://api.game.example/developers/#handover=a-token',
  expires_at: '2026-03-01T12:01:00Z',
}
const respond = () => ({ status: 201, body: made })

test('handover prints the link, and with --json exactly url and expires_at', async t => {
  const api = await startStubApi(t, { respond })
  const people = await api.run('handover --nation n42')
  assert.equal(people.status, 0)
  assert.match(people.output, /^https:\/\/api\.game\.example\/developers\/#handover=a-token\n/)
  const { output } = await api.run('handover --player p7 --landing keys --json')
  assert.deepEqual(JSON.parse(output), made)
  assert.deepEqual(api.calls, [
    { method: 'POST', path: '/handovers', token, body: { nation_id: 'n42' } },
    { method: 'POST', path: '/handovers', token, body: { player_id: 'p7', landing: 'keys' } },
  ])
})

test('a response without a link is an error of one line', async t => {
  const api = await startStubApi(t, { respond: () => ({ status: 201, body: { expires_at: null } }) })
  const { status, messages } = await api.run('handover --nation n1')
  assert.equal(status, 1)
  assert.match(
    messages,
    /^chancery: unexpected response to handovers\.create: must have required properties url\. Do the service and this command have the same version\?\n$/,
  )
})
