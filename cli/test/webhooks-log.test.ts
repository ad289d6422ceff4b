import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responding, startStubApi } from './stub-api.ts'
import { controlCharacters, hostile } from './webhook-fixtures.ts'

const first = {
  number: 1,
  attempted_at: '2026-03-01T12:00:00.000Z',
  latency_ms: 15_000,
  status: null,
  error: 'timed_out',
  answer: null,
  next_at: '2026-03-01T12:00:05.000Z',
}
const second = {
  ...first,
  number: 2,
  attempted_at: '2026-03-01T12:00:05.000Z',
  latency_ms: 80,
  status: 500,
  error: null,
  answer: hostile,
}
const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()
const delivery = {
  id: 'dlv_12',
  event_id: 'evt_310',
  type: 'war.declared',
  state: 'pending',
  created_at: '2026-03-01T11:59:59.000Z',
  settled_at: null,
  next_at: minutes(30),
  attempts: [second, first],
}
const data = [
  delivery,
  { ...delivery, id: 'dlv_11', next_at: minutes(-1), attempts: [first] },
  { ...delivery, id: 'dlv_10', next_at: minutes(14 * 60), attempts: [] },
  { ...delivery, id: 'dlv_9', event_id: null, type: 'webhook.test', state: 'failed', next_at: null },
]
const log = ['webhooks', 'log', 'whe/1']
const cells = (output: string) => output.split('\n').map(line => line.split(/ {2,}/))

test('the log has a line for each delivery: its state, the last attempt and the next', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data }) })
  const { status, output } = await api.run(log)
  assert.equal(status, 0)
  assert.deepEqual(cells(output), [
    ['DELIVERY', 'EVENT', 'TYPE', 'STATE', 'TRIES', 'LAST', 'LATENCY', 'WHEN (UTC)', 'NEXT'],
    ['dlv_12', 'evt_310', 'war.declared', 'pending', '2', '500', '80 ms', '03-01 12:00:05', 'in 30 min'],
    ['dlv_11', 'evt_310', 'war.declared', 'pending', '1', 'timed_out', '15000 ms', '03-01 12:00:00', 'now'],
    ['dlv_10', 'evt_310', 'war.declared', 'pending', '0', '-', '-', '03-01 11:59:59', 'in 14 h'],
    ['dlv_9', '-', 'webhook.test', 'failed', '2', '500', '80 ms', '03-01 12:00:05', '-'],
    [''],
  ])
  assert.equal(api.calls[0]?.path, '/webhooks/whe%2F1/deliveries?limit=25')
})

test('--limit and --state are sent, and --json prints the response', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data }) })
  const { output } = await api.run([...log, '--limit', '100', '--state', 'failed', '--json'])
  assert.equal(api.calls[0]?.path, '/webhooks/whe%2F1/deliveries?limit=100&state=failed')
  assert.doesNotMatch(output, controlCharacters)
  assert.deepEqual(JSON.parse(output), { data })
})

test('--attempts shows each attempt below its delivery, and the first line of a hostile response, escaped', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data: data.slice(0, 2) }) })
  const { output } = await api.run([...log, '--attempts'])
  assert.doesNotMatch(output, controlCharacters)
  const escaped = '\\u001b[2J\\u001b]0;mine\\u0007\\u009b31m\\u202eowned'
  assert.deepEqual(cells(output).slice(1), [
    ['dlv_12', 'evt_310', 'war.declared', 'pending', '2', '500', '80 ms', '03-01 12:00:05', 'in 30 min'],
    ['', '2', '03-01 12:00:05', '500', '80 ms', escaped],
    ['', '1', '03-01 12:00:00', 'timed_out', '15000 ms'],
    ['dlv_11', 'evt_310', 'war.declared', 'pending', '1', 'timed_out', '15000 ms', '03-01 12:00:00', 'now'],
    ['', '1', '03-01 12:00:00', 'timed_out', '15000 ms'],
    [''],
  ])
})

test('a long response is truncated', async t => {
  const attempts = [{ ...second, answer: '\u001b'.repeat(1024) }]
  const api = await startStubApi(t, { respond: responding(200, { data: [{ ...delivery, attempts }] }) })
  const { output } = await api.run([...log, '--attempts'])
  assert.ok(output.split('\n').every(line => line.length <= 100))
  assert.match(output, /(\\u001b){9}\\u001…\n$/)
})
