import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { redisUrl } from '../support/redis-server.ts'
import { longTimeoutServer } from '../support/serve-process.ts'
import { call } from './call.ts'
import { startServerGroup } from './server-group.ts'

const limit = 60
const keys = 3
const callersEach = 4

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('over three processes a key gets exactly its requests, and each response states what is left over all', async t => {
  const url = await redisUrl(t)
  if (!url) return
  const group = await startServerGroup(
    3,
    {
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_VALKEY_URL: url,
      CHANCERY_KEY_LIMIT: String(limit),
      CHANCERY_DRAIN_SECONDS: '0',
      CHANCERY_LOG_LEVEL: 'error',
    },
    longTimeoutServer,
  )
  t.after(group.close)
  for (let round = 0; round < keys; round += 1) {
    const [first] = group.members
    assert.ok(first)
    const made = await call(`${first.operatorUrl}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ player_id: 'p1', name: 'test' }),
    })
    const { key } = JSON.parse(made.body) as { key: string }
    const headers = { authorization: `Bearer ${key}` }
    const left: number[] = []
    let rejected = 0
    let calls = 0
    await Promise.all(
      group.members
        .flatMap(member => Array.from({ length: callersEach }, () => member))
        .map(async member => {
          while (calls < limit * 3) {
            calls += 1
            const response = await call(`${member.url}/api/v1/game`, { headers })
            if (response.status === 200) left.push(Number(response.headers['x-ratelimit-remaining']))
            else {
              assert.equal(response.status, 429, response.body)
              rejected += 1
            }
          }
        }),
    )
    // Each number once: no two processes allow the same request.
    assert.deepEqual(
      left.sort((one, other) => other - one),
      Array.from({ length: limit }, (_, index) => limit - 1 - index),
    )
    assert.equal(rejected, calls - limit)
  }
})
