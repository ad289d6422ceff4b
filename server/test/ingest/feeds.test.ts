import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer } from '../support/test-server.ts'
import { commit, lines, nation } from './facts.ts'

const chancery = closeAfter(await startTestServer())

const feedOf = async (name: string) =>
  (await (await chancery.operate('GET', `/feeds/${name}`)).json()) as {
    last_batch: string | null
    applied_at: string | null
  }

const inFeed = (name: string, batch: string, after: string | null, id: string) =>
  lines(nation(id), commit(batch, { feed: { name, after } }))

const statuses = async (text: string) => (await chancery.send(text)).map(({ status }) => status)

test('an unknown feed has no last batch', async () => {
  assert.deepEqual(await feedOf('none'), { name: 'none', last_batch: null, applied_at: null })
})

test('each batch of a feed names the one before it', async () => {
  const text = inFeed('f', 'f1', null, 'n1') + inFeed('f', 'f2', 'f1', 'n2')
  assert.deepEqual(await statuses(text), ['applied', 'applied'])
  const { last_batch, applied_at } = await feedOf('f')
  assert.equal(last_batch, 'f2')
  assert.ok(Date.parse(applied_at ?? '') > 0)
  assert.deepEqual(
    await statuses(text),
    ['duplicate', 'duplicate'],
    'a known batch is a duplicate at any position of the feed',
  )
  assert.equal((await feedOf('f')).last_batch, 'f2')
})

test('of two batches that name the same previous one the second is superseded, and nothing of it is stored', async () => {
  await chancery.send(inFeed('g', 'g1', null, 'g-first'))
  const [first, second] = await Promise.all([
    chancery.send(inFeed('g', 'g2a', 'g1', 'g-a')),
    chancery.send(inFeed('g', 'g2b', 'g1', 'g-b')),
  ])
  const outcomes = [...first, ...second]
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['applied', 'overtaken'])
  const overtaken = outcomes.find(({ status }) => status === 'overtaken')
  assert.equal(overtaken?.refused[0]?.path, '/feed')
  const loser = overtaken?.batch === 'g2a' ? 'g-a' : 'g-b'
  assert.equal((await chancery.get(`/nations/${loser}`)).status, 404)
  assert.deepEqual(
    (await (await chancery.operate('GET', '/refused')).json()) as unknown,
    { data: [], dropped: [] },
    'a superseded batch is not stored: its sender sends it again',
  )
})

test('a rejected batch does not advance its feed, and other feeds and batches are independent', async () => {
  await chancery.send(inFeed('h', 'h1', null, 'h-1'))
  const wrong = lines(
    { ...nation('h-2'), data: { id: 'h-2' } },
    commit('h2', { feed: { name: 'h', after: 'h1' } }),
  )
  assert.deepEqual(await statuses(wrong), ['refused'])
  assert.equal((await feedOf('h')).last_batch, 'h1')
  assert.deepEqual(await statuses(lines(nation('h-3'), commit('apart'))), ['applied'])
  assert.deepEqual(await statuses(inFeed('i', 'i1', null, 'i-1')), ['applied'])
  assert.deepEqual(await statuses(inFeed('h', 'h3', 'h1', 'h-4')), ['applied'])
  assert.deepEqual(await statuses(inFeed('h', 'h4', null, 'h-5')), ['overtaken'])
})

test('a batch in one request advances its feed likewise, or gets 409', async () => {
  const send = (batch: string, after: string | null) =>
    chancery.operate(
      'POST',
      '/facts',
      { facts: [nation(`j-${batch}`)], feed: { name: 'j', after } },
      { 'idempotency-key': batch },
    )
  assert.equal((await send('j1', null)).status, 200)
  const late = await send('j2', null)
  assert.equal(late.status, 409)
  assert.equal(((await late.json()) as { status: string }).status, 'overtaken')
  assert.equal((await send('j2', 'j1')).status, 200)
})

test('an invalid feed name is not found', async () => {
  for (const name of ['a b', 'x'.repeat(65), '%00']) {
    assert.equal((await chancery.operate('GET', `/feeds/${encodeURIComponent(name)}`)).status, 404)
  }
})
