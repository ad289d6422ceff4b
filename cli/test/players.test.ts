import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responding, startStubApi } from './stub-api.ts'

const suspended = {
  player_id: 'p7',
  suspended_at: '2026-03-01T12:00:00.000Z',
  note: null,
  webhooks_disabled: 2,
}

test('players suspend reports the time and the number of disabled webhooks', async t => {
  const api = await startStubApi(t, { respond: responding(200, suspended) })
  const words = ['players', 'suspend', 'p/7']
  const { status, output } = await api.run([...words, '--note', 'sold keys'])
  assert.equal(status, 0)
  assert.match(output, /^p7 is suspended since 2026-03-01 12:00 \(UTC\)\.\n.* disabled: 2\.\n$/)
  assert.deepEqual(await api.json(words), suspended)
  assert.deepEqual(api.requests(), [
    ['POST', '/players/p%2F7/suspend', { note: 'sold keys' }],
    ['POST', '/players/p%2F7/suspend', { note: null }],
  ])
})

test('players resume points to webhooks enable', async t => {
  const resumed = { player_id: 'p7', suspended_at: null }
  const api = await startStubApi(t, { respond: responding(200, resumed) })
  const { status, output } = await api.run('players resume p7')
  assert.equal(status, 0)
  assert.match(output, /^p7 is no longer suspended; .* chancery webhooks enable\n$/)
  assert.deepEqual(await api.json('players resume p7'), resumed)
  assert.equal(api.calls[0]?.path, '/players/p7/resume')
})
