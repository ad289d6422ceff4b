import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, type OperatorOperation, operatorOperations } from '@chancery/contract'
import { createAuditLog, pruneAuditLog } from '../../src/operator/audit-log.ts'
import type { Database } from '../../src/store/database.ts'
import { smallWorld } from '../http/world.ts'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { dump, query } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { createTestPools } from '../support/pools.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { type MadeToken, makeToken, operateAs } from './tokens.ts'

const chancery = closeAfter(await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }))
await chancery.ingest(smallWorld(), { batch: 'the-world' })
const pools = closeAfter(createTestPools({ connectionString: chancery.databaseUrl }))
const token = await makeToken(chancery, ['admin'], { name: 'night watch' })
interface Line {
  id: number
  at: string
  token_id: string
  token_name: string
  action: string
  subject: string | null
  status: number | null
}

const log = async (query = '') =>
  ((await (await chancery.operate('GET', `/log${query}`)).json()) as { data: Line[] }).data
const newest = async () => (await log('?limit=1'))[0]
const act = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await operateAs(chancery.operatorUrl, token.token, method, path, body, headers)
  return { status: response.status, body: (await response.json()) as { id: string; key: string } }
}
// The line of a batch is written after the response to its sender.
await until(async () => (await log()).length >= 2, 'both lines are written')

test('a line has the actor, action, subject, time and status', async () => {
  const before = Date.now()
  const { body: key } = await act('POST', '/keys', { nation_id: 'n1', name: 'x' })
  const line = await newest()
  assert.deepEqual(
    { ...line, id: 0, at: '' },
    {
      id: 0,
      at: '',
      token_id: token.id,
      token_name: 'night watch',
      action: 'POST /keys',
      subject: key.id,
      status: 201,
    },
  )
  const at = Date.parse(String(line?.at))
  assert.ok(at >= before - 1_000 && at <= Date.now() + 1_000)
  for (const [method, path, body, action, status] of [
    ['POST', `/keys/${key.id}/revoke`, undefined, 'POST /keys/{id}/revoke', 200],
    ['PUT', `/keys/${key.id}/limit`, { limit: 5 }, 'PUT /keys/{id}/limit', 200],
    ['POST', '/players/p9/suspend', undefined, 'POST /players/{id}/suspend', 200],
  ] as const) {
    assert.equal((await act(method, path, body)).status, status)
    const { action: loggedAction, subject, status: loggedStatus } = (await newest()) ?? {}
    assert.deepEqual([loggedAction, subject, loggedStatus], [action, path.split('/')[2], status])
  }
  await act('POST', '/codes', { nation_id: 'n1' })
  assert.equal((await newest())?.subject, 'n1')
})

test('failed requests are in the audit log too, without a subject', async () => {
  await act('POST', '/keys/key_none/revoke')
  const line = await newest()
  assert.deepEqual([line?.action, line?.subject, line?.status], ['POST /keys/{id}/revoke', null, 404])
  assert.equal((await act('POST', '/keys', { wrong: true })).status, 400)
  assert.equal((await newest())?.status, 404, 'an invalid request is not logged')
})

test('reads and rejected tokens are not in the audit log', async () => {
  const before = await newest()
  for (const path of ['/status', '/keys', '/log', '/tokens', '/metrics'])
    await (await operateAs(chancery.operatorUrl, token.token, 'GET', path)).text()
  const { token: weak } = await makeToken(chancery, ['metrics'])
  const made = await newest()
  assert.equal(made?.action, 'POST /tokens')
  await (
    await operateAs(chancery.operatorUrl, weak, 'POST', '/tokens', { name: 'x', roles: ['admin'] })
  ).text()
  await (await operateAs(chancery.operatorUrl, 'cho_wrong', 'POST', '/codes', { nation_id: 'n1' })).text()
  assert.deepEqual(await newest(), made)
  assert.notDeepEqual(made, before)
})

test('every operation that may change something is in the audit log', async () => {
  const before = (await newest())?.id ?? 0
  const changing: OperatorOperation[] = Object.values(operatorOperations).filter(
    ({ method, id, isAudited }: OperatorOperation) =>
      method !== 'GET' && id !== 'facts.send' && isAudited !== false,
  )
  for (const { method, path, body, query: parameters } of changing) {
    const required = (parameters?.required ?? []).map(name => `${name}=none`)
    const [example] = Object.values(body?.examples ?? {})
    const response = await operateAs(
      chancery.operatorUrl,
      token.token,
      method,
      `${path.replace(/\{\w+\}/, 'none')}?${required.join('&')}`,
      body ? example : undefined,
    )
    await response.body?.cancel()
  }
  const actions = (await log('?limit=1000')).filter(({ id }) => id > before).map(({ action }) => action)
  assert.deepEqual(actions.toSorted(), changing.map(({ method, path }) => `${method} ${path}`).toSorted())
})

test('each batch has one line with its outcome, also when it is sent again', async () => {
  const fact = (id: string) => JSON.stringify(put('nation', { id, nation_name: id, leader_name: 'L' }))
  const text = `${fact('b1')}\n{"op":"commit","batch":"log-1"}\n{"op":"put"}\n{"op":"commit","batch":"log-2"}\n`
  const send = (body: string, query = '') =>
    fetch(`${chancery.operatorUrl}/facts${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/x-ndjson' },
      body,
    }).then(response => response.text())
  await send(text, '?check=true')
  await send(text)
  await send(text.split('\n').slice(0, 2).join('\n'))
  const headers = { 'idempotency-key': 'log-3' }
  await act('POST', '/facts', { facts: [] }, headers)
  await act('POST', '/facts', { facts: [JSON.parse(fact('b2'))] }, headers)
  const lines = (await log()).filter(({ subject }) => subject?.startsWith('log-'))
  assert.deepEqual(pluck(lines, 'action', 'subject', 'status', 'token_name'), [
    ['POST /facts', 'log-3', 409, 'night watch'],
    ['POST /facts', 'log-3', 200, 'night watch'],
    ['POST /facts', 'log-2', 422, 'night watch'],
    ['POST /facts', 'log-1', 200, 'night watch'],
  ])
  const world = (await log('?limit=1000')).find(({ subject }) => subject === 'the-world')
  assert.deepEqual([world?.token_id, world?.token_name], ['main', 'main'])
})

test('pages of the audit log are contiguous, newest first', async () => {
  const all = await log('?limit=1000')
  assert.ok(all.length > 10)
  assert.deepEqual(
    pluck(all, 'id'),
    all.map(({ id }) => id).toSorted((a, b) => b - a),
  )
  const first = await log('?limit=4')
  const second = await log(`?limit=4&before=${first.at(-1)?.id}`)
  assert.deepEqual([...first, ...second], all.slice(0, 8))
  for (const query of ['?limit=0', '?limit=1001', '?before=x', '?limit=1&limit=2', '?after=3'])
    assert.equal((await chancery.operate('GET', `/log${query}`)).status, 400, query)
})

test('no secret is in the log, or in the database at all', async () => {
  const { body: key } = await act('POST', '/keys', { nation_id: 'n1', name: 'y' })
  const code = await chancery.makeCode('n1')
  const handover = await chancery.operate('POST', '/handovers', { nation_id: 'n1' })
  const { url } = (await handover.json()) as { url: string }
  const made = await makeToken(chancery, ['facts'])
  const rotated = await (await chancery.operate('POST', `/tokens/${made.id}/rotate`)).json()
  // A key in place of an id.
  await act('POST', `/keys/${key.key}/revoke`)
  await act('POST', `/players/${key.key}/suspend`)
  const lines = JSON.stringify(await log('?limit=1000'))
  const everything = await dump(chancery.databaseUrl)
  for (const secret of [
    token.token,
    made.token,
    (rotated as MadeToken).token,
    chancery.operatorToken,
    code,
    url.split('handover=')[1] ?? '',
  ]) {
    assert.ok(secret.length > 5)
    assert.ok(!everything.includes(secret), secret)
  }
  assert.ok(!lines.includes(key.key))
})

test('nothing is changed when the audit log cannot be written', async () => {
  const away: Database = {
    rows: () => Promise.reject(new Error('away')),
    first: () => Promise.reject(new Error('away')),
  }
  const errors: unknown[] = []
  const actor = { token_id: 'tok_1', token_name: 'x' }
  let isDone = false
  const work = async () => {
    isDone = true
    return { status: 200, subject: 'x' }
  }
  const broken = createAuditLog({ db: away, onError: error => errors.push(error) })
  await assert.rejects(broken.record(actor, 'POST /nothing', work), /away/)
  assert.equal(isDone, false)

  // Unavailable only afterwards: the action succeeds, and its line has no status.
  const fading: Database = { rows: away.rows, first: pools.access.first }
  const faded = createAuditLog({ db: fading, onError: error => errors.push(error) })
  assert.equal((await faded.record(actor, 'POST /something', work)).status, 200)
  assert.equal(errors.length, 1)
  const line = await newest()
  assert.deepEqual([line?.action, line?.status, line?.subject], ['POST /something', null, null])
  await broken.close()
  await faded.close()
})

test('lines of batches are kept in order while the database is unavailable', async () => {
  let isAway = true
  const db: Database = {
    rows: statement => (isAway ? Promise.reject(new Error('away')) : pools.access.rows(statement)),
    first: pools.access.first,
  }
  const waiting = createAuditLog({ db, onError: () => undefined })
  const actor = { token_id: 'tok_1', token_name: 'x' }
  waiting.recordBatch(actor, { status: 200, subject: 'wait-1' })
  await assert.rejects(waiting.flush(), /away/)
  waiting.recordBatch(actor, { status: 200, subject: 'wait-2' })
  isAway = false
  await waiting.close()
  const subjects = (await log('?limit=2')).map(({ subject }) => subject)
  assert.deepEqual(subjects, ['wait-2', 'wait-1'])
})

test('lines of actions and batches are kept for their retention times', async () => {
  const ages: [string, number, boolean][] = [
    ['POST /facts', limits.batchIdDays + 1, false],
    ['POST /facts', limits.batchIdDays - 1, true],
    ['POST /keys', limits.batchIdDays + 1, true],
    ['POST /keys', limits.auditLogDays + 1, false],
    ['POST /keys', limits.auditLogDays - 1, true],
  ]
  for (const [action, days] of ages)
    await query(
      chancery.databaseUrl,
      `insert into chancery_access.audit_log (at, token_id, token_name, action, subject, status)
       values (now() - interval '${days} days', 'tok_aged', 'x', '${action}', '${days}', 200)`,
    )
  await pruneAuditLog(pools.access, 'POST /facts')
  const kept = (await log('?limit=1000')).filter(({ token_id }) => token_id === 'tok_aged')
  assert.deepEqual(
    kept.map(({ action, subject }) => `${action} ${subject}`).toSorted(),
    ages
      .filter(([, , isKept]) => isKept)
      .map(([action, days]) => `${action} ${days}`)
      .toSorted(),
  )
})

test('the number of lines per action is limited, without deleting lines of other actions', async () => {
  await query(
    chancery.databaseUrl,
    `insert into chancery_access.audit_log (at, token_id, token_name, action, subject, status)
     select now(), 'tok_many', 'x', case when i = 1 then 'POST /seldom' else 'POST /often' end, i, 200 from generate_series(1, 20) i`,
  )
  await pruneAuditLog(pools.access, 'POST /facts', 5)
  const kept = (await log('?limit=1000')).filter(({ token_id }) => token_id === 'tok_many')
  assert.deepEqual(
    kept.map(({ subject }) => Number(subject)),
    [20, 19, 18, 17, 16, 1],
  )
})
