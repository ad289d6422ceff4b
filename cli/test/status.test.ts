import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOperations } from '@chancery/contract'
import { responding, startStubApi } from './stub-api.ts'

const { Example: example } = operatorOperations.statusGet.responses[200].content['application/json']
  .examples as { Example: Record<string, unknown> & { senders: [Record<string, unknown>] } }
const [sender] = example.senders
const healthy = {
  ...example,
  refused_batches: 0,
  latest_refused: [],
  senders: [{ ...sender, waiting_views: [], set_aside: 0 }],
}

test('status shows each part on one screen, and exits with 0 where there is no problem', async t => {
  const api = await startStubApi(t, { respond: responding(200, healthy) })
  const { status, output, messages } = await api.run('status')
  assert.deepEqual([status, messages], [0, ''])
  const lines = output.trimEnd().split('\n')
  assert.ok(lines.length <= 24, output)
  for (const [name, text] of [
    ['database', 'responds (migration 13)'],
    ['limits', 'shared by all processes'],
    ['rankings', 'up to date'],
    ['rejected', 'none'],
    ['webhooks', '4 active, 1 disabled; 3 deliveries queued'],
    ['streams', '12 open'],
    ['requests', '1 for a higher limit'],
    ['pull', 'chancery pull: runs'],
    ['turns', 'no heartbeats'],
  ] as const)
    assert.ok(
      lines.some(line => line.startsWith(name) && line.includes(text)),
      `${name}: ${text}\n${output}`,
    )
  assert.deepEqual((await api.json('status')).problems, [])
})

for (const [problem, change] of [
  ['the database does not respond', { database_up: false }],
  ['Valkey or Redis does not respond: limits are per process', { limits_shared: false }],
  ['rankings are behind', { ranking_lag_seconds: 121 }],
  ['facts were rejected: chancery refused list', { refused_batches: 1 }],
  ['facts are set aside until they fit: chancery refused list', { set_aside_facts: 2 }],
  [
    'webhook deliveries are behind',
    { webhook_oldest_undelivered_seconds: { answering: 301, slow: 0, failing: 0 } },
  ],
  [
    'pull: its sender has sent no heartbeat for 75 s',
    { senders: [{ ...healthy.senders[0], is_overdue: true, heartbeat_age_seconds: 75 }] },
  ],
  ['pull: no space left', { senders: [{ ...healthy.senders[0], error: 'no space left\nmore' }] }],
  [
    'pull: chancery_out.war waits: column ended_at is missing',
    { senders: [{ ...healthy.senders[0], waiting_views: sender.waiting_views }] },
  ],
] as const)
  test(`status exits with 1 where ${problem}`, async t => {
    const api = await startStubApi(t, { respond: responding(200, { ...healthy, ...change }) })
    const { status, output, messages } = await api.run('status')
    assert.deepEqual([status, messages], [1, 'chancery: 1 problem\n'])
    assert.ok(output.endsWith(`\n! ${problem}\n`), output)
  })

test('status shows what a token of one role may see', async t => {
  const { version, game, profile_digest, migration, database_up } = example
  const api = await startStubApi(t, {
    respond: responding(200, { version, game, profile_digest, migration, database_up }),
  })
  const { status, output } = await api.run('status')
  assert.equal(status, 0)
  assert.equal(output.trimEnd().split('\n').length, 3, output)
})

test('senders remove names the feed', async t => {
  const api = await startStubApi(t, { respond: responding(200, { feed: 'pull' }) })
  assert.equal((await api.run('senders remove pull')).output, 'the sender of pull is removed\n')
  assert.deepEqual(api.requests(), [['DELETE', '/feeds/pull/heartbeat', undefined]])
})
