import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, linesOf } from '@chancery/simulator'
import { closeAfter } from '../support/close-after.ts'
import { readStatus } from '../support/read-status.ts'
import { startTestServer } from '../support/test-server.ts'
import {
  alliance,
  battle,
  commit,
  lines,
  member,
  nation,
  put,
  remove,
  seqOf,
  statusOf,
  stream,
  war,
} from './facts.ts'

type Document = Record<string, unknown>

const chancery = closeAfter(await startTestServer())

async function stateOf(): Promise<unknown> {
  const { seq, last_batch } = await readStatus(chancery)
  const { data: kept } = (await (await chancery.operate('GET', '/refused')).json()) as Document
  return { seq, last_batch, kept }
}

async function assertSameResults(text: string): Promise<void> {
  const before = await stateOf()
  const checked = await chancery.send(text, { check: true })
  assert.deepEqual(await stateOf(), before)
  const done = await chancery.send(text)
  // Only a real run stores dead letters; the other results are the same.
  assert.deepEqual(
    done,
    checked.map((outcome, index) => ({ ...outcome, is_kept: done[index]?.is_kept })),
  )
}

test('a dry run has the results of the real run, batch by batch, and stores nothing', async () => {
  await assertSameResults(
    [
      lines(nation('c1'), alliance('ca'), commit('first')),
      lines(member('c1', 'ca'), nation('c2'), commit('on-the-first')),
      lines(member('none', 'ca'), commit('rejected-by-the-world')),
      lines(nation('c3', { rank: 1 }), commit('rejected-by-itself')),
      'not json\n',
      lines(commit('rejected-as-text')),
      lines(nation('c1'), alliance('ca'), commit('first')),
      lines(nation('c9'), commit('first')),
      lines(war('cw', 'c1', 'c2'), battle('cb', 'cw', 'c1', 'c2'), commit('on-the-second')),
      lines(remove('nation', 'c1'), commit('deletes')),
      lines(member('c1', 'ca'), commit('rejected-after-the-deletion')),
      lines(put('war', { id: 'cw', status: 'ended' }), { op: 'commit' }),
      lines(nation('c4')),
    ].join(''),
  )
})

test('a dry run does not affect the batches behind it', async () => {
  await chancery.send(lines(nation('only-checked'), commit('only-checked')), { check: true })
  assert.equal(await statusOf(chancery, '/nations/only-checked'), 404)
  const [rejected] = await chancery.send(lines(alliance('oc'), member('only-checked', 'oc'), commit('oc')))
  assert.equal(rejected?.status, 'refused')
  const [applied] = await chancery.send(lines(nation('only-checked-2'), commit('only-checked')))
  assert.equal(applied?.status, 'applied')
})

test('an aborted dry run stores nothing, and later batches are applied', async () => {
  const before = await seqOf(chancery)
  const cut = new AbortController()
  async function* body() {
    yield Buffer.from(lines(nation('cut'), commit('cut')))
    cut.abort()
    await new Promise(() => undefined)
  }
  await assert.rejects(stream(chancery, body(), { query: '?check=true', signal: cut.signal }))
  const [next] = await chancery.send(lines(nation('uncut'), commit('cut')))
  assert.deepEqual([next?.status, next?.last_seq], ['applied', before + 1])
})

test('a dry run of a simulated history has the results of the real run', async () => {
  const world = createWorld({ nations: 40, days: 20, seed: 7, endsAt: '2026-05-27T18:00:00Z' })
  await assertSameResults([...world.history()].map(linesOf).join(''))
})

test('a dry run of a JSON batch is rejected with the format that works', async () => {
  const response = await chancery.operate(
    'POST',
    '/facts?check=true',
    { facts: [] },
    { 'idempotency-key': 'checked' },
  )
  assert.equal(response.status, 400)
  assert.match(JSON.stringify(await response.json()), /x-ndjson/)
})

test('a slow dry run does not delay other batches', async () => {
  const { promise: wait, resolve: proceed } = Promise.withResolvers<void>()
  async function* slowly() {
    yield Buffer.from(lines(nation('slow-1'), commit('slow-first')))
    await wait
    yield Buffer.from(lines(nation('slow-2'), commit('slow-second')))
  }
  const checking = stream(chancery, slowly(), { query: '?check=true' })
  const [other] = await chancery.send(lines(nation('quick'), commit('quick')))
  assert.equal(other?.status, 'applied')
  proceed()
  const outcomeLines = (await (await checking).text()).trimEnd().split('\n')
  assert.deepEqual(
    outcomeLines.map(line => (JSON.parse(line) as { status: string }).status),
    ['applied', 'applied'],
  )
  assert.equal(await statusOf(chancery, '/nations/slow-1'), 404)
})
