import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AccountSession } from '@chancery/contract'
import { openBrowser } from '../account/browser.ts'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { ServeProcess } from '../support/serve-process.ts'
import { call } from './call.ts'
import { countNotifications, dropNotifications } from './dropped-notifications.ts'
import { type ServerGroup, startServerGroup } from './server-group.ts'
import { createStalenessCheck, staleAfterMs } from './staleness.ts'

let database: TestDatabase
let group: ServerGroup
before(async () => {
  database = await createTestDatabase()
  await dropNotifications(database.url)
  group = await startServerGroup(3, {
    CHANCERY_DATABASE_URL: database.url,
    CHANCERY_DRAIN_SECONDS: '0',
    CHANCERY_KEY_LIMIT: '1000000',
    CHANCERY_LOG_LEVEL: 'error',
  })
})
after(async () => {
  await group?.close()
  await database.drop()
})

async function operate<T>(
  { operatorUrl, operatorToken }: ServeProcess,
  path: string,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<T> {
  const { status, body: text } = await call(operatorUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  assert.ok(status < 300, `${path}: ${status} ${text}`)
  return JSON.parse(text) as T
}

const ingest = (member: ServeProcess, turn: number) =>
  operate(
    member,
    '/facts',
    { facts: [nation('n0', { motto: `turn ${turn}`, player: 'p1' })] },
    { 'idempotency-key': `turn-${turn}` },
  )

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
const memberAt = (index: number) => group.members[index % group.members.length] as ServeProcess

test('what one process ingested, every other returns within a second', async t => {
  await ingest(memberAt(0), 0)
  const staleness = createStalenessCheck()
  const problems: string[] = []
  let calls = 0
  let isOver = false
  async function look({ url }: ServeProcess): Promise<void> {
    while (!isOver) {
      const sentAt = performance.now()
      const { status, body } = await call(`${url}/api/v1/nations/n0`)
      assert.equal(status, 200, body)
      const turn = Number(/"motto":"turn (\d+)"/.exec(body)?.[1])
      const problem = staleness.check(turn, sentAt)
      if (problem) problems.push(problem)
      calls += 1
      await pause(5)
    }
  }
  const looking = Promise.all(group.members.flatMap(member => [look(member), look(member)]))
  const notifications = await countNotifications(database.url, async () => {
    for (let turn = 1; turn <= 40; turn += 1) {
      await ingest(memberAt(turn), turn)
      staleness.acknowledge()
      await pause(100)
    }
  })
  isOver = true
  await looking
  t.diagnostic(
    `the oldest response had been outdated for ${Math.round(staleness.oldestMs())} ms, of ${calls}`,
  )
  assert.equal(notifications, 0, 'notifications are discarded')
  assert.deepEqual(problems, [])
  assert.ok(staleness.oldestMs() > 0, 'a response was cached')
})

test('a key that one process revokes no longer works at any other within a second', async t => {
  let latestMs = 0
  for (let round = 0; round < 5; round += 1) {
    const { id, key } = await operate<{ id: string; key: string }>(memberAt(round), '/keys', {
      player_id: 'p1',
      name: 'test',
    })
    let revokedAt = Number.POSITIVE_INFINITY
    const isOver = () => performance.now() > revokedAt + 2 * staleAfterMs
    const looking = group.members.map(async ({ url }) => {
      let isRejected = false
      let calls = 0
      while (!isOver() || !isRejected) {
        const sentAt = performance.now()
        const headers = { authorization: `Bearer ${key}` }
        const { status } = await call(`${url}/api/v1/nations/n0`, { headers })
        calls += 1
        if (sentAt > revokedAt) latestMs = Math.max(latestMs, status === 200 ? sentAt - revokedAt : 0)
        if (sentAt > revokedAt + staleAfterMs) assert.equal(status, 401)
        else assert.ok(status === 200 || status === 401, String(status))
        assert.ok(!isRejected || status === 401, 'a rejected key stays rejected')
        isRejected = status === 401
        if (calls === 3) onLooked()
        await pause(5)
      }
      assert.ok(isRejected)
    })
    let toLook = group.members.length
    const { promise: allLook, resolve } = Promise.withResolvers<void>()
    function onLooked() {
      toLook -= 1
      if (toLook === 0) resolve()
    }
    await Promise.race([allLook, Promise.all(looking)])
    await operate(memberAt(round + 1), `/keys/${id}/revoke`)
    revokedAt = performance.now()
    await Promise.all(looking)
  }
  t.diagnostic(`a revoked key worked for ${Math.round(latestMs)} ms at most`)
  assert.ok(latestMs > 0, 'a key was cached')
})

test('a player who signed in at one process is signed in at all, and out at all', async () => {
  const [one, other, third] = group.members as [ServeProcess, ServeProcess, ServeProcess]
  const { url } = await operate<{ url: string }>(one, '/handovers', { player_id: 'p1' })
  const [, token] = url.split('#handover=')
  const browser = openBrowser(other)
  const session = await browser.requestOk<AccountSession>('POST', '/session', { token })
  const at = (member: ServeProcess) => {
    const same = openBrowser(member)
    // Each process here has a public URL of its own, whose port is in the name of the cookie.
    same.cookie = browser.cookie?.replace(/_\d+=/, `_${new URL(member.url).port}=`)
    same.csrfToken = session.csrf_token
    return same
  }
  for (const member of group.members)
    assert.equal((await at(member).requestOk<AccountSession>('GET', '/session')).player_id, 'p1')
  await at(third).requestOk('DELETE', '/session')
  for (const member of group.members) assert.equal((await at(member).request('GET', '/session')).status, 401)
})
