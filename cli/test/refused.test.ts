import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOperations } from '@chancery/contract'
import { exampleItem, responding, startStubApi } from './stub-api.ts'

const record = {
  ...exampleItem(operatorOperations.refusedList),
  id: 'turn-8818',
  last_refused_at: '2026-03-01T12:05:00Z',
  facts: 1200,
  tries: 2,
  refusals: [{ line: 7, path: '/data/nation_name', reason: 'must not have more than 100 characters' }],
}
const content = '{"op":"delete","resource":"nation","id":"n1"}\n'
const outcome = {
  batch: record.id,
  status: 'applied',
  facts: 1200,
  events: 3,
  set_aside: 0,
  last_seq: 9,
  refused: [],
  is_kept: false,
}

test('refused list shows the batches that were dropped because the dead-letter store was full', async t => {
  const dropped = [
    {
      id: 'turn-1',
      feed: 'pull',
      facts: 12,
      bytes: 900,
      is_listed: true,
      dropped_at: '2026-03-01T12:05:00Z',
    },
    { id: 'turn-0', feed: null, facts: 1, bytes: 90, is_listed: false, dropped_at: '2026-03-01T12:04:00Z' },
  ]
  const api = await startStubApi(t, { respond: responding(200, { data: [], dropped }) })
  const { output } = await api.run('refused list')
  assert.match(output, /^no rejected batches\n\nDropped, dead-letter store full:\n/)
  assert.match(output, /turn-1 +pull +2026-03-01 12:05 +12 facts +facts only\n/)
  assert.match(output, /turn-0 +- +2026-03-01 12:04 +1 fact +whole batch\n/)
  assert.deepEqual(await api.json('refused list'), { data: [], dropped })
})

test('refused list prints a table or the records', async t => {
  const stale = { ...record, id: 'turn-8819', feed: 'pull', overtaken_by: 'turn-8820', refusals: [] }
  const api = await startStubApi(t, { respond: responding(200, { data: [record, stale], dropped: [] }) })
  const { output } = await api.run('refused list --feed pull --limit 5')
  assert.match(output, /^BATCH +FEED +REJECTED +TRIES +FACTS +SUPERSEDED BY +FIRST REASON\n/)
  assert.match(
    output,
    /turn-8818 +- +2026-03-01 12:05 +2 +1,200 +- +\/nation_name must not have more than 100 characters\n/,
  )
  assert.match(output, /turn-8819 +pull .* turn-8820 +-\n/)
  assert.deepEqual(await api.json('refused list'), { data: [record, stale], dropped: [] })
  assert.deepEqual(api.paths(), ['/refused?feed=pull&limit=5', '/refused'])
})

test('refused show prints why, and the facts as they were sent', async t => {
  const whole = { ...record, is_announced: true, content }
  const api = await startStubApi(t, { respond: responding(200, whole) })
  const { output } = await api.run('refused show turn/8818')
  assert.match(output, /line 7, \/data\/nation_name: must not have more/)
  assert.ok(output.endsWith(content))
  assert.equal(api.calls[0]?.path, '/refused/turn%2F8818')
  assert.deepEqual(await api.json('refused show turn-8818'), whole)
})

test('refused show reports facts that were not kept, and the batch that superseded them', async t => {
  const gone = { ...record, is_announced: true, content: null, has_content: false, overtaken_by: 'turn-9' }
  const api = await startStubApi(t, { respond: responding(200, gone) })
  const { output } = await api.run('refused show turn-8818')
  assert.match(output, /superseded by turn-9: retry requires --force/)
  assert.match(
    output,
    /\(too large, or the dead-letter store was full\): the game must send the batch again\.\n$/,
  )
})

test('refused retry reports the applied batch, and forces it only with --force', async t => {
  const api = await startStubApi(t, { respond: responding(200, outcome) })
  const { status, output } = await api.run(['refused', 'retry', record.id])
  assert.deepEqual([status, output], [0, 'turn-8818 is applied: 1,200 facts, 3 events\n'])
  assert.deepEqual(await api.json(['refused', 'retry', record.id, '--force']), outcome)
  assert.deepEqual(
    api.calls.map(({ path, body }) => [path, body]),
    [
      ['/refused/turn-8818/retry', { anyway: false }],
      ['/refused/turn-8818/retry', { anyway: true }],
    ],
  )
})

test('refused retry that is rejected again reports line and reason, with exit status 1', async t => {
  const again = { ...outcome, status: 'refused', facts: 0, refused: record.refusals, is_kept: true }
  const api = await startStubApi(t, { respond: responding(422, again) })
  const { status, messages } = await api.run(['refused', 'retry', record.id])
  assert.equal(status, 1)
  assert.equal(
    messages,
    'chancery: turn-8818 is not applied (rejected). line 7, /data/nation_name: must not have more than 100 characters\n',
  )
  const json = await api.run(['refused', 'retry', record.id, '--json'])
  assert.equal(json.status, 1)
  assert.deepEqual(JSON.parse(json.output), again)
})

test('refused drop names the batch', async t => {
  const api = await startStubApi(t, { respond: responding(200, { id: record.id, dropped: true }) })
  const { output } = await api.run(['refused', 'drop', record.id])
  assert.equal(output, 'turn-8818 is dropped\n')
  assert.deepEqual([api.calls[0]?.method, api.calls[0]?.path], ['DELETE', '/refused/turn-8818'])
})

test('refused drop --all names the feed, and nothing is dropped by half a command', async t => {
  const api = await startStubApi(t, { respond: responding(200, { feed: 'pull', dropped: 1_200 }) })
  const { output } = await api.run('refused drop --all --feed pull')
  assert.equal(output, '1,200 rejected batches of pull dropped\n')
  assert.deepEqual(api.requests(), [['DELETE', '/refused?feed=pull', undefined]])
  for (const words of [
    'drop',
    'drop --all',
    'drop --feed pull',
    'drop turn-1 --all',
    'drop turn-1 --feed pull',
  ])
    assert.equal((await api.run(`refused ${words}`)).status, 2, words)
  assert.equal(api.calls.length, 1)
})
