import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequestTrace } from '../../src/http/request-metrics.ts'
import { createPool, sql } from '../../src/store/database.ts'
import { createBackgroundLog, createLog } from '../../src/telemetry/log.ts'
import { useTestDatabase } from '../support/fixture.ts'

/** A log, and the lines that were written to it. */
function loggedAt(level: 'info' | 'debug' | 'trace') {
  const lines: Record<string, unknown>[] = []
  const log = createLog(level, { write: text => lines.push(JSON.parse(text)) })
  return { log, lines }
}

const database = useTestDatabase()

test('a statement is logged at level trace with its time and rows, and without its values', async t => {
  const { log, lines } = loggedAt('trace')
  const pool = createPool({
    target: { connectionString: database.url },
    connectionsMax: 1,
    onStatement: createBackgroundLog(log).statement,
  })
  t.after(() => pool.close())
  const secret = 'a unique value'
  await pool.rows(sql`select ${secret}::text as one`)
  await pool.transaction(db =>
    db.first(sql`select
    ${secret}::text as two`),
  )
  assert.deepEqual(
    lines.map(({ msg, statement, rows, role }) => ({ msg, statement, rows, role })),
    ['one', 'two'].map(name => ({
      msg: 'statement',
      statement: `select $1::text as ${name}`,
      rows: 1,
      role: 'owner',
    })),
  )
  for (const { duration_ms } of lines) assert.equal(typeof duration_ms, 'number')
  assert.ok(!JSON.stringify(lines).includes(secret))
})

test('requests and statements are not traced above their log levels', () => {
  const { log } = loggedAt('info')
  assert.equal(createRequestTrace(log), undefined)
  assert.equal(createBackgroundLog(loggedAt('debug').log).statement, undefined)
})

test('heartbeats, revocations, rounds and deliveries are logged at level debug', () => {
  const { log, lines } = loggedAt('debug')
  const background = createBackgroundLog(log)
  background.heartbeat({ seq: 1, worldVersion: 1, accessVersion: 1 })
  background.heartbeat({ seq: 2, worldVersion: 2, accessVersion: 1 })
  background.heartbeat({ seq: 2, worldVersion: 2, accessVersion: 2 })
  background.rankingRound(0.25)
  background.fanOut(3)
  background.deliveryAttempt({
    result: { endpoint_id: 'w1', attempt: 2, state: 'pending' },
    response: { status: null, error: 'timeout', latencyMs: 12.4 },
  })
  assert.deepEqual(
    lines.map(({ msg }) => String(msg).split(':')[0]),
    [
      'heartbeat',
      'heartbeat',
      'heartbeat',
      'cached keys are stale',
      'ranking round',
      'webhook fan-out',
      'webhook delivery attempt',
    ],
  )
  const { level, time, msg, ...attempt } = lines.at(-1) ?? {}
  assert.deepEqual(attempt, {
    endpoint: 'w1',
    attempt: 2,
    state: 'pending',
    status: null,
    reason: 'timeout',
    duration_ms: 12,
  })
})
