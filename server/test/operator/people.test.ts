import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLimitRequestNotifier } from '../../src/access/limit-request-notifier.ts'
import { signIn, startAccounts } from '../account/browser.ts'
import { smallWorld } from '../http/world.ts'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { createTestPools } from '../support/pools.ts'
import { until } from '../support/until.ts'
import { respondStatus, startWebhookReceiver } from '../support/webhook-receiver.ts'

interface Player {
  player_id: string
  nation_id: string | null
  nation_name: string | null
  suspended_at: string | null
  note: string | null
  keys: number
  webhooks: number
  last_used_at: string | null
}

const chancery = closeAfter(await startAccounts([], { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }))
await chancery.ingest([
  ...smallWorld(),
  nation('first', { player: 'u1', nation_name: 'First' }),
  nation('second', { player: 'u2' }),
])

const read = async <T>(path: string) => (await (await chancery.operate('GET', path)).json()) as T
const list = async (query: string) => (await read<{ data: Player[] }>(`/players${query}`)).data

test('players are listed by id with nation, keys and suspension, in pages', async () => {
  const { id } = await chancery.makeKey({ player_id: 'u3' })
  await chancery.makeKey({ player_id: 'u1' })
  await chancery.operate('POST', `/keys/${id}/revoke`)
  await chancery.operate('POST', '/players/u2/suspend', { note: 'sold keys' })
  await chancery.operate('POST', '/players/u4/suspend', {})
  const listed = await list('?after=u')
  assert.deepEqual(pluck(listed, 'player_id', 'nation_id', 'note', 'keys'), [
    ['u1', 'first', null, 1],
    ['u2', 'second', 'sold keys', 0],
    ['u3', null, null, 0],
    ['u4', null, null, 0],
  ])
  assert.match(listed[1]?.suspended_at ?? '', /Z$/)
  const pages = [await list('?after=u&limit=3'), await list('?after=u3&limit=3')]
  assert.deepEqual(pages.flat(), listed)
  assert.deepEqual(pluck(await list('?is_suspended=true'), 'player_id'), ['u2', 'u4'])
  const others = await list('?is_suspended=false&after=u')
  assert.deepEqual(pluck(others, 'player_id'), ['u1', 'u3'])
  assert.deepEqual(await read('/players/u2'), listed[1])
  assert.equal((await chancery.operate('GET', '/players/none')).status, 404)
})

test('a request for a higher limit is listed, approved or declined, and its owner reads the reason', async () => {
  const browser = await signIn(chancery, { player_id: 'u1' })
  const [key] = (await read<{ data: { id: string }[] }>('/keys?player_id=u1')).data
  const id = key?.id ?? ''
  const requestMore = () =>
    browser.requestOk('POST', `/keys/${id}/limit-request`, {
      calls_per_minute: 9_000,
      sentence: 'War room of ten.',
    })
  const pending = async () =>
    (await read<{ data: { key_id: string; sentence: string; limit: number }[] }>('/limit-requests')).data
  const decide = async (path: string, body: object) => {
    const response = await chancery.operate('POST', `/limit-requests/${id}/${path}`, body)
    return { status: response.status, body: (await response.json()) as object }
  }
  const lower = () => chancery.operate('PUT', `/keys/${id}/limit`, { limit: 60 })
  await lower()
  assert.deepEqual(await pending(), [])
  await requestMore()
  assert.deepEqual(pluck(await pending(), 'key_id', 'sentence', 'limit'), [[id, 'War room of ten.', 60]])
  assert.equal((await read<{ limit_requests: number }>('/status')).limit_requests, 1)
  assert.deepEqual(await decide('decline', { note: 'use ids=' }), {
    status: 200,
    body: { key_id: id, limit: 60, note: 'use ids=' },
  })
  assert.deepEqual(await pending(), [])
  assert.match(JSON.stringify(await browser.requestOk('GET', '/keys')), /use ids=/)
  assert.equal((await decide('decline', {})).status, 404)
  await requestMore()
  assert.deepEqual((await decide('approve', {})).body, { key_id: id, limit: 9_000, note: null })
  await lower()
  await requestMore()
  assert.deepEqual((await decide('approve', { limit: 300, note: 'half' })).body, {
    key_id: id,
    limit: 300,
    note: 'half',
  })
  assert.equal((await decide('approve', {})).status, 404)
})

test('the requests of one key are listed, newest first', async () => {
  const { key, id } = await chancery.makeKey({ player_id: 'u1' })
  const other = await chancery.makeKey({ player_id: 'u2-other' })
  await chancery.get('/game', { key })
  await chancery.get('/nations/none', { key })
  await chancery.get('/game', { key: other.key })
  interface Call {
    operation: string
    status: number
    key_id: string
    player_id: string
  }
  const calls = async (query = '') => (await read<{ data: Call[] }>(`/keys/${id}/requests${query}`)).data
  await until(async () => (await calls()).length === 2, 'both requests are in the log')
  assert.deepEqual(pluck(await calls(), 'operation', 'status', 'key_id', 'player_id'), [
    ['nations.get', 404, id, 'u1'],
    ['game.get', 200, id, 'u1'],
  ])
  assert.equal((await calls('?limit=1')).length, 1)
})

test('the audit log is filtered by action, token, subject, time and batches', async () => {
  interface Line {
    id: number
    at: string
    action: string
    subject: string | null
    token_id: string
  }
  const log = async (query: string) => (await read<{ data: Line[] }>(`/log?limit=1000&${query}`)).data
  // Lines of batches are written later, in their order.
  await chancery.ingest([], { batch: 'last-of-the-log', waits: false })
  await until(async () => (await log('subject=last-of-the-log')).length === 1, 'all lines are written')
  const all = await log('')
  const matching = async (query: string, isWanted: (line: Line) => boolean) => {
    const found = await log(query)
    assert.ok(found.length > 0 && found.length < all.length, `${query}: ${found.length}`)
    assert.deepEqual(found, all.filter(isWanted), query)
  }
  await matching('action=POST%20%2Fkeys', ({ action }) => action === 'POST /keys')
  await matching('subject=u2', ({ subject }) => subject === 'u2')
  await matching('batches=false', ({ action }) => action !== 'POST /facts')
  // The text of a time has no trailing zeros: texts are not in the order of their times.
  const times = [...new Set(all.map(({ at }) => Date.parse(at)))].sort((one, other) => one - other)
  const middle = times[Math.floor(times.length / 2)] ?? 0
  const text = new Date(middle).toISOString()
  await matching(`since=${text}`, ({ at }) => Date.parse(at) >= middle)
  await matching(`until=${text}&batches=true`, ({ at }) => Date.parse(at) < middle)
  await matching(
    `batches=false&subject=u4&until=2130-01-01T00:00:00%2B02:00`,
    ({ subject }) => subject === 'u4',
  )
  assert.deepEqual(await log('token_id=tok_none'), [])
  assert.equal((await log('token_id=main')).length, all.length)
  for (const query of ['since=today', 'batches=x'])
    assert.equal((await chancery.operate('GET', `/log?${query}`)).status, 400)
})

test('a request is posted to the webhook of the operator once, and again until it is received', async t => {
  const receiver = closeAfter(await startWebhookReceiver(), t)
  receiver.respondWith('/chat/secret-part', respondStatus(500))
  const pools = closeAfter(createTestPools({ connectionString: chancery.databaseUrl }), t)
  const { id } = await chancery.makeKey({ player_id: 'u5' }, ['nation.read'], { limit: 60 })
  const browser = await signIn(chancery, { player_id: 'u5' })
  await browser.requestOk('POST', `/keys/${id}/limit-request`, {
    calls_per_minute: 700,
    sentence: 'Many of @everyone, <!channel>.',
  })
  const errors: unknown[] = []
  const start = () =>
    startLimitRequestNotifier({
      pool: pools.access,
      url: receiver.url('/chat/secret-part'),
      publicUrl: () => 'https://api.game.example',
      onError: error => void errors.push(error),
      everyMs: 20,
    })
  const notifiers = [start(), start()]
  const requests = () => receiver.received.filter(({ path }) => path === '/chat/secret-part')
  await until(() => errors.length === 1, 'the webhook has failed')
  assert.equal(String(errors[0]), "WebhookRejectedError: the operator's webhook returned 500")
  receiver.respondWith('/chat/secret-part', respondStatus(204))
  // Its process has ended: the next attempt comes a minute later.
  await query(
    chancery.databaseUrl,
    `update chancery_access.limit_request set notifying_until = now() - interval '1 second'`,
  )
  await until(() => requests().length === 2, 'it is sent again')
  await until(async () => {
    const [row] = await query(
      chancery.databaseUrl,
      `select notified_at from chancery_access.limit_request where key_id = '${id}'`,
    )
    return row?.notified_at !== null
  }, 'it is done')
  for (const notifier of notifiers) await notifier.close()
  assert.equal(requests().length, 2)
  const body = JSON.parse(requests()[1]?.body ?? '')
  assert.equal(body.text, body.content.replace('<!channel>', '&lt;!channel&gt;'))
  assert.match(
    body.content,
    /^Player u5 requests 700 calls per minute for the key .*: Many of @everyone, <!channel>\.$/m,
  )
  assert.deepEqual(body.allowed_mentions, { parse: [] })
  assert.deepEqual(
    [body.type, body.service, body.data.key_id],
    ['limit_request', 'https://api.game.example', id],
  )
})
