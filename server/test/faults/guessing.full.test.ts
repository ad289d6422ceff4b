import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@chancery/contract'
import { generateKey } from '../../src/access/key.ts'
import { cookieName, generateToken } from '../../src/account/session/tokens.ts'
import { withConnection } from '../support/database-url.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { isLong } from '../support/tier.ts'
import { assertServedDuring } from './support/regular-client.ts'

const floodMs = isLong ? 15_000 : 3_000
const concurrency = 50

async function requestGame(server: ServerProcess, key?: string): Promise<Response> {
  const response = await fetch(`${server.url}/api/v1/game`, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  })
  await response.arrayBuffer()
  return response
}

/** Sends a request with a random secret. Resolves with the status. */
type Guess = (server: ServerProcess) => Promise<number>

const guessKey: Guess = async server => (await requestGame(server, generateKey())).status

const guessSession: Guess = async server => {
  const response = await fetch(`${server.url}/developers/api/session`, {
    headers: { cookie: `${cookieName(server.url)}=${generateToken()}`, 'sec-fetch-site': 'same-origin' },
  })
  await response.arrayBuffer()
  return response.status
}

/** Guesses concurrently, without a pause. Resolves with the number of responses by status. */
async function flood(server: ServerProcess, guess: Guess): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  const endAt = performance.now() + floodMs
  const guessRepeatedly = async () => {
    while (performance.now() < endAt) {
      const status = await guess(server)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, guessRepeatedly))
  return statuses
}

/** Transactions of the database so far. PostgreSQL's count lags by up to a second. */
async function transactionsOf({ databaseUrl }: ServerProcess): Promise<number> {
  await sleep(1_500)
  return withConnection(databaseUrl, async client => {
    const { rows } = await client.query<{ count: string }>(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
    )
    return Number(rows[0]?.count)
  })
}

/** Asserts that guesses share transactions. Returns the number of both. */
function assertFew(transactions: number, statuses: Record<string, number>, seconds: number): string {
  const guesses = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const figures = `${guesses} guesses in ${seconds.toFixed(1)} s: ${transactions} transactions of the database`
  // Heartbeats, ranking rounds, webhooks and the request log need transactions too.
  const background = seconds * 25
  assert.ok(transactions - background < guesses / 3, figures)
  return figures
}

async function makeKey(server: ServerProcess, limit: number): Promise<string> {
  const made = await server.operate('POST', '/keys', { player_id: 'p1', name: 'test', limit })
  assert.equal(made.status, 201)
  return ((await made.json()) as { key: string }).key
}

test('a flood of guessed keys exhausts only the limit of its address, not the database, memory or other callers', async t => {
  const server = await startServerProcess({ CHANCERY_ANONYMOUS_LIMIT: '60' })
  t.after(() => server.close())
  const limit = 100_000
  const key = await makeKey(server, limit)
  await requestGame(server, key)
  const before = await server.usage()
  const transactions = await transactionsOf(server)
  const startedAt = performance.now()

  let statuses: Record<string, number> = {}
  const { requests } = await assertServedDuring(
    t,
    server.url,
    async () => {
      statuses = await flood(server, guessKey)
    },
    { headers: { authorization: `Bearer ${key}` } },
  )
  const seconds = (performance.now() - startedAt) / 1_000
  const used = (await transactionsOf(server)) - transactions
  t.diagnostic(assertFew(used, statuses, seconds))

  const { 401: rejected = 0, 429: limited = 0, ...others } = statuses
  assert.deepEqual(others, {})
  assert.ok(rejected <= 60 && limited > 0, `${rejected} guesses were not counted`)
  const megabytes = ((await server.usage()).usedBytes - before.usedBytes) / 1e6
  t.diagnostic(`${megabytes.toFixed(1)} MB stay`)
  assert.ok(megabytes < 25, `${megabytes} MB stay of guesses`)

  // One request each, from the limit of the key.
  assert.deepEqual(
    requests.map(({ remaining }) => remaining),
    requests.map((_, index) => limit - 2 - index),
  )
  const anonymous = await requestGame(server)
  assert.equal(anonymous.status, 429, 'the limit of the address is exhausted')
  const unseen = await makeKey(server, 10)
  assert.equal((await requestGame(server, unseen)).status, 200, 'a new key works from the same address')
})

test('a flood of guessed sessions exhausts the limit of its address, not the database', async t => {
  const server = await startServerProcess()
  t.after(() => server.close())
  const transactions = await transactionsOf(server)
  const startedAt = performance.now()
  const statuses = await flood(server, guessSession)
  const seconds = (performance.now() - startedAt) / 1_000
  t.diagnostic(assertFew((await transactionsOf(server)) - transactions, statuses, seconds))
  const { 401: rejected = 0, 429: _limited, ...others } = statuses
  assert.deepEqual(others, {})
  assert.ok(rejected <= limits.accountReads, `${rejected} guesses were not counted`)
})

test('a nearly correct key takes as long to reject as a wrong one', async t => {
  const server = await startServerProcess()
  t.after(() => server.close())
  const key = await makeKey(server, 1_000_000)
  await requestGame(server, key)
  /** Correct except for the last characters of its secret, which the checksum detects. */
  const near = () => key.slice(0, 34) + generateKey().slice(34)
  const times = { near: [] as number[], far: [] as number[] }
  for (let round = 0; round < 400; round += 1)
    for (const [kind, make] of [
      ['near', near],
      ['far', () => generateKey().slice(0, 34) + generateKey().slice(34)],
    ] as const) {
      const startedAt = performance.now()
      assert.equal((await requestGame(server, make())).status, 401)
      times[kind].push(performance.now() - startedAt)
    }
  const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
  const ratio = median(times.near) / median(times.far)
  t.diagnostic(`${ratio.toFixed(2)} times as long, of ${median(times.far).toFixed(2)} ms`)
  assert.ok(ratio > 0.67 && ratio < 1.5, `${ratio} times as long`)
})
