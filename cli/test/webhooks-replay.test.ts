import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responding, startStubApi } from './stub-api.ts'

const replay = ['webhooks', 'replay', 'whe/1']

test('several deliveries are several calls, each delivery once, and their sum is printed', async t => {
  const api = await startStubApi(t, { respond: responding(200, { queued: 1 }) })
  const { status, output } = await api.run([...replay, 'dlv_1', 'dlv_2', 'dlv_1'])
  assert.deepEqual([status, output], [0, '2 deliveries queued\n'])
  assert.deepEqual(
    api.calls.map(({ path, body }) => [path, body]),
    [
      ['/webhooks/whe%2F1/replay', { delivery: 'dlv_1' }],
      ['/webhooks/whe%2F1/replay', { delivery: 'dlv_2' }],
    ],
  )
})

test('--failed replays all that failed, and --json prints their number as one document', async t => {
  const api = await startStubApi(t, { respond: responding(200, { queued: 31_157 }) })
  const { output } = await api.run([...replay, '--failed', '--json'])
  assert.deepEqual(JSON.parse(output), { queued: 31_157 })
  assert.deepEqual(api.calls[0]?.body, { failed: true })
})

test('--since replays a time range, which ends now by default', async t => {
  const api = await startStubApi(t, { respond: responding(200, { queued: 0 }) })
  const since = ['--since', '2026-03-01T12:00:00Z']
  const { status, output } = await api.run([...replay, ...since, '--until', '2026-03-02'])
  assert.deepEqual([status, output], [0, 'nothing to replay\n'])
  const until = { since: '2026-03-01T12:00:00Z', until: '2026-03-02T00:00:00Z' }
  assert.deepEqual(api.calls[0]?.body, until)

  const began = new Date().toISOString()
  await api.run([...replay, ...since])
  const sent = JSON.stringify(api.calls[1]?.body)
  const end = /^\{"since":"2026-03-01T12:00:00Z","until":"(.*)"\}$/.exec(sent)?.[1] ?? ''
  assert.ok(began <= end && end <= new Date().toISOString(), sent)
})

test('a delivery that fails is named, and the number queued before it is printed', async t => {
  const error = { code: 'not_found', message: 'There is no such delivery.', request_id: 'req_9' }
  let requests = 0
  const api = await startStubApi(t, {
    respond: () =>
      ++requests % 2 === 0 ? { status: 404, body: { error } } : { status: 200, body: { queued: 1 } },
  })
  const people = await api.run([...replay, 'dlv_1', 'dlv_2', 'dlv_3'])
  assert.deepEqual(people, {
    status: 1,
    output: '1 delivery queued\n',
    messages: 'chancery: dlv_2: There is no such delivery. (not_found, request req_9)\n',
  })
  const json = await api.run([...replay, 'dlv_1', 'dlv_2', '--json'])
  assert.deepEqual([json.status, JSON.parse(json.output)], [1, { queued: 1 }])
})
