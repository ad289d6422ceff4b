import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
import { openStubDoor } from './stub-door.ts'
import { answering } from './webhook-answers.ts'

const suspended = {
  player_id: 'p7',
  suspended_at: '2026-03-01T12:00:00.000Z',
  note: null,
  webhooks_disabled: 2,
}

test('players suspend says since when, and how many webhooks went off with the player', async t => {
  const door = await openStubDoor(t, { answer: answering(200, suspended) })
  const words = ['players', 'suspend', 'p/7']
  const { status, output } = await chancery([...words, '--note', 'sold keys'], door.variables)
  assert.equal(status, 0)
  assert.match(output, /^p7 is suspended since 2026-03-01 12:00 \(UTC\)\.\n.* switched off: 2\.\n$/)
  const json = await chancery([...words, '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), suspended)
  assert.deepEqual(
    door.calls.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/players/p%2F7/suspend', { note: 'sold keys' }],
      ['POST', '/players/p%2F7/suspend', { note: null }],
    ],
  )
})

test('players resume says that webhooks wait to be switched on', async t => {
  const resumed = { player_id: 'p7', suspended_at: null }
  const door = await openStubDoor(t, { answer: answering(200, resumed) })
  const { status, output } = await chancery(['players', 'resume', 'p7'], door.variables)
  assert.equal(status, 0)
  assert.match(output, /^p7 is let in again; .* chancery webhooks enable\n$/)
  const json = await chancery(['players', 'resume', 'p7', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), resumed)
  assert.equal(door.calls[0]?.path, '/players/p7/resume')
})

test('resuming somebody who is not suspended fails', async t => {
  const error = { code: 'not_found', message: 'There is no such suspension.', request_id: 'req_9' }
  const door = await openStubDoor(t, { answer: answering(404, { error }) })
  const { status, output, messages } = await chancery(['players', 'resume', 'p7'], door.variables)
  assert.deepEqual([status, output], [1, ''])
  assert.equal(messages, 'chancery: There is no such suspension. (not_found, request req_9)\n')
})
