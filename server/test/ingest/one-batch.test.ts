import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, type Outcome, startTestServer } from '../support/test-server.ts'
import { commit, nation, statusOf } from './facts.ts'

const chancery = closeAfter(await startTestServer())

test('a small batch can be JSON, and the status code is its result', async () => {
  const send = async (id: string, facts: Fact[]) => {
    const response = await chancery.operate('POST', '/facts', { facts }, { 'idempotency-key': id })
    return { status: response.status, outcome: (await response.json()) as Outcome }
  }
  const applied = await send('json', [nation('json')])
  assert.deepEqual([applied.status, applied.outcome.status, applied.outcome.facts], [200, 'applied', 1])
  const duplicate = await send('json', [nation('json')])
  assert.deepEqual([duplicate.status, duplicate.outcome.status], [200, 'duplicate'])
  const conflict = await send('json', [nation('json-2')])
  assert.deepEqual([conflict.status, conflict.outcome.status], [409, 'conflict'])
  const rejected = await send('json-2', [nation('json-3'), nation('json-4', { rank: 1 })])
  assert.deepEqual([rejected.status, rejected.outcome.batch], [422, 'json-2'])
  assert.deepEqual(rejected.outcome.refused, [{ line: 2, path: '/data/rank', reason: 'unknown field' }])
  assert.equal(await statusOf(chancery, '/nations/json-3'), 404)
  const committed = await send('json-3', [nation('json-3'), commit('json-3')])
  assert.equal(committed.status, 422)
  assert.deepEqual(committed.outcome.refused, [
    { line: 2, path: '/op', reason: 'a JSON batch must not contain a commit' },
  ])
})

test('an invalid JSON batch is 400', async () => {
  const statusWith = async (body: unknown, headers: Record<string, string>) =>
    (await chancery.operate('POST', '/facts', body, headers)).status
  assert.equal(await statusWith({ facts: [] }, {}), 400, 'no Idempotency-Key')
  assert.equal(await statusWith({ facts: [] }, { 'idempotency-key': 'a b' }), 400, 'an invalid one')
  assert.equal(await statusWith([], { 'idempotency-key': 'x' }), 400, 'no object')
  assert.equal(await statusWith({ facts: [], batch: 'x' }, { 'idempotency-key': 'x' }), 400, 'unknown member')
  assert.equal(await statusWith({ facts: [] }, { 'idempotency-key': 'x', 'content-type': 'text/plain' }), 400)
})

test('a JSON batch that is nested too deep is rejected, not an error', async () => {
  const depth = 300_000
  const response = await fetch(`${chancery.operatorUrl}/facts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${chancery.operatorToken}`,
      'content-type': 'application/json',
      'idempotency-key': 'deep',
    },
    body: `{"facts":[${'['.repeat(depth)}${']'.repeat(depth)}]}`,
  })
  assert.ok([400, 422].includes(response.status), `${response.status}`)
})
