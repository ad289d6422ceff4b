import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOperations } from '@chancery/contract'
import { exampleItem, responding, startStubApi } from './stub-api.ts'

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

const player = { ...exampleItem(operatorOperations.playersList), nation_name: 'North\nmark' }

test('players list and show have nation, keys and suspension', async t => {
  const list = await startStubApi(t, { respond: responding(200, { data: [player] }) })
  assert.match(
    (await list.run('players list --suspended --limit 5')).output,
    /^PLAYER +NATION +NAME +KEYS +WEBHOOKS +LAST USED +SUSPENDED +NOTE\np7 +n7 +North\\nmark +1 +2 +2026-05-27 17:58 +2026-05-27 18:00 +sold keys, see ticket 4711\n$/,
  )
  await list.run('players list')
  assert.deepEqual(list.paths(), ['/players?limit=5&is_suspended=true', '/players'])
  const show = await startStubApi(t, { respond: responding(200, player) })
  const { output } = await show.run('players show p7')
  assert.match(output, /^suspended +since 2026-05-27 18:00 \(UTC\)$/m)
  assert.match(output, /^note +sold keys, see ticket 4711$/m)
  assert.match(output, /^keys +1 active, last used 2026-05-27 17:58$/m)
})

test('players export prints one JSON document, and fails if rows are missing', async t => {
  const held = {
    player_id: 'p7',
    exported_at: '2026-05-27T18:00:00Z',
    tables: { 'chancery_access.api_key': [{ name: 'my \u001b[31mbot' }] },
    truncated: [] as string[],
  }
  const whole = await startStubApi(t, { respond: responding(200, held) })
  const { status, output } = await whole.run('players export p7')
  assert.equal(status, 0)
  assert.ok(!output.includes('\u001b'))
  assert.deepEqual(JSON.parse(output), held)
  assert.deepEqual(whole.requests(), [['POST', '/players/p7/export', undefined]])
  const part = await startStubApi(t, {
    respond: responding(200, { ...held, truncated: ['chancery_world.event'] }),
  })
  const failed = await part.run('players export p7')
  assert.deepEqual(
    [failed.status, failed.messages],
    [1, 'chancery: not all rows are included of: chancery_world.event\n'],
  )
})
