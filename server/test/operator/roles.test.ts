import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type OperatorOperation,
  type OperatorRole,
  operatorOperations,
  operatorRoleNames,
} from '@chancery/contract'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Outcome, startTestServer } from '../support/test-server.ts'
import { makeToken, operateAs } from './tokens.ts'

/** The operations of each role. Written out, so that a wider role is a decision that shows here. */
const opens: Record<Exclude<OperatorRole, 'admin'>, string[]> = {
  facts: [
    'facts.send',
    'feeds.get',
    'feeds.heartbeat',
    'feeds.remove_sender',
    'refused.list',
    'refused.get',
    'refused.retry',
    'refused.drop',
    'refused.drop_all',
    'status.get',
    'profile.get',
  ],
  identity: ['codes.issue', 'handovers.create', 'status.get'],
  metrics: ['metrics.get', 'status.get'],
}

const tokens = new Map<OperatorRole, string>()
const chancery = closeAfter(await startTestServer())
for (const role of operatorRoleNames) tokens.set(role, (await makeToken(chancery, [role])).token)

const everyOperation: OperatorOperation[] = Object.values(operatorOperations)

/** Calls an operation with an unknown id and an invalid body. */
async function request({ method, path }: OperatorOperation, token: string | undefined) {
  const url = path.replace(/\{\w+\}/, 'none')
  const response = await operateAs(
    chancery.operatorUrl,
    token,
    method,
    url,
    method === 'GET' ? undefined : {},
  )
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) {
    await response.body?.cancel()
    return { status: response.status, code: '', message: '' }
  }
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { status: response.status, code: error?.code ?? '', message: error?.message ?? '' }
}

for (const operation of everyOperation) {
  test(`${operation.id} is open to its roles only`, async () => {
    for (const role of operatorRoleNames) {
      const mayDo = role === 'admin' || opens[role].includes(operation.id)
      const { status, code, message } = await request(operation, tokens.get(role))
      if (mayDo) {
        assert.ok(status !== 401 && status !== 403, `${role}: ${status}`)
      } else {
        assert.deepEqual([status, code], [403, 'insufficient_role'], role)
        const needed = operation.roles[0] ?? 'admin'
        assert.ok(message.includes(needed), message)
      }
    }
    assert.equal((await request(operation, undefined)).status, 401)
  })
}

test('a token of several roles may do what any of them may', async () => {
  const { token } = await makeToken(chancery, ['facts', 'metrics'])
  for (const [id, isAllowed] of [
    ['feeds.get', true],
    ['metrics.get', true],
    ['codes.issue', false],
    ['keys.list', false],
  ] as const) {
    const operation = everyOperation.find(each => each.id === id)
    assert.ok(operation)
    assert.equal((await request(operation, token)).status === 403, !isAllowed, id)
  }
})

test('an unknown path is 404 with a token, and 401 without', async () => {
  assert.equal((await operateAs(chancery.operatorUrl, tokens.get('metrics'), 'GET', '/nowhere')).status, 404)
  assert.equal((await operateAs(chancery.operatorUrl, tokens.get('metrics'), 'PATCH', '/tokens')).status, 404)
  assert.equal((await operateAs(chancery.operatorUrl, undefined, 'GET', '/nowhere')).status, 401)
})

test('an operator token is rejected by the public listener', async () => {
  for (const token of tokens.values())
    assert.equal((await chancery.get('/me/key', { key: token })).status, 401)
})

/** What each role is shown of the status, besides what every token is. Written out, as `opens`. */
const statusMembers: Record<Exclude<OperatorRole, 'admin'>, string[]> = {
  facts: [
    'feeds',
    'last_batch',
    'last_batch_age_seconds',
    'latest_refused',
    'ranked_version',
    'ranking_lag_seconds',
    'ranking_lag_versions',
    'refused_batches',
    'set_aside_facts',
    'senders',
    'seq',
    'world_changed_at',
    'world_version',
  ],
  identity: [],
  metrics: [
    'last_batch_age_seconds',
    'limits_shared',
    'log_gaps',
    'ranked_version',
    'ranking_lag_seconds',
    'ranking_lag_versions',
    'refused_batches',
    'set_aside_facts',
    'seq',
    'streams_open',
    'webhook_endpoints',
    'webhook_fan_out_lag_events',
    'webhook_oldest_undelivered_seconds',
    'webhook_queue_depth',
    'world_version',
  ],
}
const statusForAll = ['database_up', 'game', 'migration', 'profile_digest', 'version']

test('the status has the members of the caller’s roles, and all of them for admin alone', async () => {
  const membersFor = async (role: OperatorRole) => {
    const response = await operateAs(chancery.operatorUrl, tokens.get(role), 'GET', '/status')
    return Object.keys((await response.json()) as object).toSorted()
  }
  for (const role of ['facts', 'identity', 'metrics'] as const)
    assert.deepEqual(await membersFor(role), [...statusForAll, ...statusMembers[role]].toSorted(), role)
  const all = new Set([...statusForAll, ...Object.values(statusMembers).flat(), 'limit_requests'])
  assert.deepEqual(await membersFor('admin'), [...all].toSorted())
})

/** Sends facts with the token of a role, as a stream of one batch. */
async function sendAs(role: OperatorRole, batch: string, facts: object[], query = ''): Promise<Outcome> {
  const response = await fetch(`${chancery.operatorUrl}/facts${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.get(role)}`, 'content-type': 'application/x-ndjson' },
    body: [...facts, { op: 'commit', batch }].map(fact => `${JSON.stringify(fact)}\n`).join(''),
  })
  return (await response.json()) as Outcome
}
const land = (id: string, more: object = {}) =>
  put('nation', { id, nation_name: id, leader_name: 'L', ...more })

test('only the role admin may erase a player, however the erasure is sent', async () => {
  await sendAs('facts', 'erasable', [land('erasable', { player: 'erasable-player' })])
  const erasure = { op: 'erase', player: 'erasable-player' }
  const resultOf = ({ status, refused }: Outcome) => [status, refused.map(({ reason }) => reason)]
  const expected = ['refused', ['`erase` requires a token with the role admin']]
  assert.deepEqual(resultOf(await sendAs('facts', 'erase-stream', [erasure])), expected)
  assert.deepEqual(resultOf(await sendAs('facts', 'erase-check', [erasure], '?check=true')), expected)
  const one = await operateAs(
    chancery.operatorUrl,
    tokens.get('facts'),
    'POST',
    '/facts',
    { facts: [erasure] },
    { 'idempotency-key': 'erase-one' },
  )
  assert.equal(one.status, 422)
  assert.deepEqual(resultOf((await one.json()) as Outcome), expected)
  const retry = (role: OperatorRole) =>
    operateAs(chancery.operatorUrl, tokens.get(role), 'POST', '/refused/erase-stream/retry', {})
  const retried = await retry('facts')
  assert.deepEqual([retried.status, resultOf((await retried.json()) as Outcome)], [422, expected])
  assert.equal(
    (await chancery.read<{ data: { leader_name: string } }>('/nations/erasable')).data.leader_name,
    'L',
  )
  assert.equal((await retry('admin')).status, 200, 'admin may apply what was kept')
})

test('a check counts nothing for the role facts, and everything for admin', async () => {
  const batches: [string, object[]][] = [
    ['counted', [land('counted')]],
    ['all-gone', [{ op: 'snapshot', resource: 'nation' }]],
    ['gone-too', [{ op: 'snapshot', resource: 'nation', allow_deletes: true }]],
  ]
  await sendAs('facts', 'countable', [land('countable-1'), land('countable-2')])
  for (const [batch, facts] of batches) {
    const checked = await sendAs('facts', batch, facts, '?check=true')
    const counted = await sendAs('admin', batch, facts, '?check=true')
    assert.deepEqual([checked.status, checked.facts], [counted.status, counted.facts], batch)
    assert.deepEqual([checked.events, checked.last_seq], [null, null], batch)
    assert.equal(typeof counted.events, 'number', batch)
    for (const { reason } of checked.refused) assert.doesNotMatch(reason, /\d/, batch)
  }
  const again = await sendAs('facts', 'countable', [land('countable-1'), land('countable-2')], '?check=true')
  assert.deepEqual([again.status, again.events, again.last_seq], ['duplicate', null, null])
})
