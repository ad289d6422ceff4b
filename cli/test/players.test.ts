import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
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
  const { status, output } = await chancery([...words, '--note', 'sold keys'], api.variables)
  assert.equal(status, 0)
  assert.match(output, /^p7 is suspended since 2026-03-01 12:00 \(UTC\)\.\n.* disabled: 2\.\n$/)
  const json = await chancery([...words, '--json'], api.variables)
  assert.deepEqual(JSON.parse(json.output), suspended)
  assert.deepEqual(
    api.calls.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/players/p%2F7/suspend', { note: 'sold keys' }],
      ['POST', '/players/p%2F7/suspend', { note: null }],
    ],
  )
})

test('players resume points to webhooks enable', async t => {
  const resumed = { player_id: 'p7', suspended_at: null }
  const api = await startStubApi(t, { respond: responding(200, resumed) })
  const { status, output } = await chancery(['players', 'resume', 'p7'], api.variables)
  assert.equal(status, 0)
  assert.match(output, /^p7 is no longer suspended; .* chancery webhooks enable\n$/)
  const json = await chancery(['players', 'resume', 'p7', '--json'], api.variables)
  assert.deepEqual(JSON.parse(json.output), resumed)
  assert.equal(api.calls[0]?.path, '/players/p7/resume')
})

test('resuming a player who is not suspended fails', async t => {
  const error = { code: 'not_found', message: 'There is no such suspension.', request_id: 'req_9' }
  const api = await startStubApi(t, { respond: responding(404, { error }) })
  const { status, output, messages } = await chancery(['players', 'resume', 'p7'], api.variables)
  assert.deepEqual([status, output], [1, ''])
  assert.equal(messages, 'chancery: There is no such suspension. (not_found, request req_9)\n')
})
