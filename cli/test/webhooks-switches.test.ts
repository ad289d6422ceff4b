import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responding, startStubApi } from './stub-api.ts'
import { arrived, endpoint, missed, withSecret } from './webhook-fixtures.ts'

test('test and enable succeed if the test arrives, and fail otherwise', async t => {
  for (const command of ['test', 'enable']) {
    const good = await startStubApi(t, { respond: responding(200, { ...endpoint, test: arrived }) })
    const done = await good.run(`webhooks ${command} whe/1`)
    assert.deepEqual([done.status, done.messages], [0, ''])
    assert.deepEqual(good.requests()[0], ['POST', `/webhooks/whe%2F1/${command}`, undefined])

    const off = { ...endpoint, status: 'disabled', disabled_reason: 'owner', test: missed }
    const bad = await startStubApi(t, { respond: responding(200, off) })
    const failed = await bad.run(`webhooks ${command} whe_1 --json`)
    assert.deepEqual([failed.status, failed.messages], [1, 'chancery: the test failed\n'])
    assert.deepEqual(JSON.parse(failed.output), off)
  }
})

test('a test that arrives does not enable a disabled endpoint, and names the command that does', async t => {
  const off = { ...endpoint, status: 'disabled', disabled_reason: 'failing', test: arrived }
  const api = await startStubApi(t, { respond: responding(200, off) })
  const { status, output } = await api.run('webhooks test whe_1')
  assert.equal(status, 0)
  assert.match(output, /It stays disabled \(failed 5 days\)\. .*\n\n {2}chancery webhooks enable whe_1\n$/)
})

test('enable of an active endpoint sends no test and reports that it is active', async t => {
  const api = await startStubApi(t, { respond: responding(200, { ...endpoint, test: null }) })
  const { status, output } = await api.run('webhooks enable whe_1')
  assert.deepEqual([status, output], [0, 'whe_1 is already active\n'])
})

test('disable and remove name the endpoint in the path', async t => {
  const removed = { id: 'whe_1', removed: true }
  const api = await startStubApi(t, {
    respond: ({ method }) => ({ status: 200, body: method === 'DELETE' ? removed : endpoint }),
  })
  assert.deepEqual(await api.json('webhooks disable whe/1'), endpoint)
  assert.deepEqual(await api.json('webhooks remove whe/1'), removed)
  assert.deepEqual(api.requests(), [
    ['POST', '/webhooks/whe%2F1/disable', undefined],
    ['DELETE', '/webhooks/whe%2F1', undefined],
  ])
})

test('rotate prints the new secret, and until when the previous one signs', async t => {
  const rotated = { ...withSecret, previous_secret_ends_at: '2026-03-02T12:00:00.000Z' }
  const api = await startStubApi(t, { respond: responding(200, rotated) })
  const { output } = await api.run('webhooks rotate whe_1')
  assert.match(output, /^whsec_c2VjcmV0\n(.*\n)*.* until 2026-03-02 12:00 \(UTC\)\.\n$/)
  assert.equal(api.calls[0]?.path, '/webhooks/whe_1/rotate')
})
