import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
import { type Answer, openStubDoor } from './stub-door.ts'

const record = {
  id: 'turn-8818',
  feed: null,
  first_refused_at: '2026-03-01T12:00:00Z',
  last_refused_at: '2026-03-01T12:05:00Z',
  tries: 2,
  facts: 1200,
  bytes: 81_000,
  has_content: true,
  refusals: [{ line: 7, path: '/data/nation_name', reason: 'must not have more than 100 characters' }],
  overtaken_by: null,
}
const content = '{"op":"delete","resource":"nation","id":"n1"}\n'
const outcome = {
  batch: record.id,
  status: 'applied',
  facts: 1200,
  events: 3,
  last_seq: 9,
  refused: [],
  is_kept: false,
}

const answering =
  (status: number, body: unknown): Answer =>
  () => ({ status, body })

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
  const door = await openStubDoor(t, { answer: answering(200, { data: [], dropped }) })
  const { output } = await chancery(['refused', 'list'], door.variables)
  assert.match(output, /^no refused batches\n\nDropped, dead-letter store full:\n/)
  assert.match(output, /turn-1 +pull +2026-03-01 12:05 +12 facts +facts only\n/)
  assert.match(output, /turn-0 +- +2026-03-01 12:04 +1 fact +whole batch\n/)
  const json = await chancery(['refused', 'list', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), { data: [], dropped })
})

test('refused list prints a table or the records', async t => {
  const stale = { ...record, id: 'turn-8819', feed: 'pull', overtaken_by: 'turn-8820', refusals: [] }
  const door = await openStubDoor(t, { answer: answering(200, { data: [record, stale], dropped: [] }) })
  const { output } = await chancery('refused list --feed pull --limit 5'.split(' '), door.variables)
  assert.match(output, /^BATCH +FEED +REFUSED +TRIES +FACTS +OVERTAKEN BY +FIRST REASON\n/)
  assert.match(
    output,
    /turn-8818 +- +2026-03-01 12:05 +2 +1,200 +- +\/nation_name must not have more than 100 characters\n/,
  )
  assert.match(output, /turn-8819 +pull .* turn-8820 +-\n/)
  const json = await chancery(['refused', 'list', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), { data: [record, stale], dropped: [] })
  assert.deepEqual(
    door.calls.map(({ path }) => path),
    ['/refused?feed=pull&limit=5', '/refused'],
  )
})

test('refused show prints why, and the facts as they were sent', async t => {
  const whole = { ...record, is_announced: true, content }
  const door = await openStubDoor(t, { answer: answering(200, whole) })
  const { output } = await chancery(['refused', 'show', 'turn/8818'], door.variables)
  assert.match(output, /line 7, \/data\/nation_name: must not have more/)
  assert.ok(output.endsWith(content))
  assert.equal(door.calls[0]?.path, '/refused/turn%2F8818')
  const json = await chancery(['refused', 'show', 'turn-8818', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), whole)
})

test('refused show says where the facts were not kept, and what has overtaken them', async t => {
  const gone = { ...record, is_announced: true, content: null, has_content: false, overtaken_by: 'turn-9' }
  const door = await openStubDoor(t, { answer: answering(200, gone) })
  const { output } = await chancery(['refused', 'show', 'turn-8818'], door.variables)
  assert.match(output, /overtaken by turn-9: retry needs --anyway/)
  assert.match(output, /too many to keep: the game must send it again\.\n$/)
})

test('refused retry tells that it is applied, and sends anyway only where it was said', async t => {
  const door = await openStubDoor(t, { answer: answering(200, outcome) })
  const { status, output } = await chancery(['refused', 'retry', record.id], door.variables)
  assert.deepEqual([status, output], [0, 'turn-8818 is applied: 1,200 facts, 3 events\n'])
  const json = await chancery(['refused', 'retry', record.id, '--anyway', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), outcome)
  assert.deepEqual(
    door.calls.map(({ path, body }) => [path, body]),
    [
      ['/refused/turn-8818/retry', { anyway: false }],
      ['/refused/turn-8818/retry', { anyway: true }],
    ],
  )
})

test('refused retry that is refused again says where and why, with status 1', async t => {
  const again = { ...outcome, status: 'refused', facts: 0, refused: record.refusals, is_kept: true }
  const door = await openStubDoor(t, { answer: answering(422, again) })
  const { status, messages } = await chancery(['refused', 'retry', record.id], door.variables)
  assert.equal(status, 1)
  assert.equal(
    messages,
    'chancery: turn-8818 is not applied (refused). line 7, /data/nation_name: must not have more than 100 characters\n',
  )
  const json = await chancery(['refused', 'retry', record.id, '--json'], door.variables)
  assert.equal(json.status, 1)
  assert.deepEqual(JSON.parse(json.output), again)
})

test('refused retry of what was overtaken passes on what to do', async t => {
  const error = { code: 'conflict', message: 'Later facts have changed it.', request_id: 'req_9' }
  const door = await openStubDoor(t, { answer: answering(409, { error }) })
  const { status, messages } = await chancery(['refused', 'retry', record.id], door.variables)
  assert.deepEqual(
    [status, messages],
    [1, 'chancery: Later facts have changed it. (conflict, request req_9)\n'],
  )
})

test('refused drop names the batch', async t => {
  const door = await openStubDoor(t, { answer: answering(200, { id: record.id, dropped: true }) })
  const { output } = await chancery(['refused', 'drop', record.id], door.variables)
  assert.equal(output, 'turn-8818 is dropped\n')
  assert.deepEqual([door.calls[0]?.method, door.calls[0]?.path], ['DELETE', '/refused/turn-8818'])
})
