import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { inOwnNetwork, missingNetwork } from './own-network.ts'
import { type Rolling, rollingRestart, type Seen } from './rolling.ts'

const size = 3
/** How often each process is replaced; more in manual runs. */
const rounds = Number(process.env.ROLLING_ROUNDS ?? 1)

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const rolling = (env: Record<string, string>): Rolling => ({
  size,
  rounds,
  env: {
    CHANCERY_DATABASE_URL: database.url,
    CHANCERY_DRAIN_SECONDS: '1',
    CHANCERY_STREAMS_PER_IP: '100',
    CHANCERY_LOG_LEVEL: 'error',
    ...env,
  },
})

function assertUnnoticed(seen: Seen): void {
  const { failures, ...figures } = seen
  assert.deepEqual(failures, [], JSON.stringify(figures))
  assert.ok(seen.calls > 100 * rounds && seen.batches > 10 * rounds, JSON.stringify(figures))
  assert.ok(seen.streams > 3, 'readers reconnect')
}

test('behind a proxy with readiness checks, processes are replaced one by one without a failed request', async t => {
  const seen = await rollingRestart(rolling({}))
  t.diagnostic(JSON.stringify(seen))
  assertUnnoticed(seen)
})

test('processes that share a port are replaced one after the other without a call that fails', async t => {
  const missing = missingNetwork()
  if (missing) return t.skip(missing)
  if (!new URL(database.url).hostname.startsWith('%2F'))
    return t.skip('the database is reached over a network that is left outside')
  const ports = { CHANCERY_SHARE_PORTS: 'true', CHANCERY_PORT: '18080', CHANCERY_OPERATOR_PORT: '18081' }
  const program = new URL('./rolling-process.ts', import.meta.url)
  const seen = JSON.parse(await inOwnNetwork(program, JSON.stringify(rolling(ports)))) as Seen
  t.diagnostic(JSON.stringify(seen))
  assertUnnoticed(seen)
})
