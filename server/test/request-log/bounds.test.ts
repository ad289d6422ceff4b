import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneRequestLog } from '../../src/request-log/request-log.ts'
import { until } from '../support/until.ts'
import { dayMs, hourMs, minuteMs, openTestRequestLog } from './test-request-log.ts'
import { anonymousRequest, servedRequest } from './test-requests.ts'

test('rows are deleted after their retention time: addresses within 48 hours, minutes after 2, the rest after 7 days', async t => {
  const { pools, note, write, at, now, count } = await openTestRequestLog(t)
  note(servedRequest(), anonymousRequest('192.0.2.1'))
  await write()
  const left = async () => {
    await pruneRequestLog(pools.access, now())
    const [lines, hours, minutes, addressLines, addresses] = [
      await count('key_request'),
      await count('key_usage_hour'),
      await count('key_usage_minute'),
      await count('address_request'),
      await count('address_usage_hour'),
    ]
    return { lines, hours, minutes, addressLines, addresses }
  }
  const all = { lines: 1, hours: 1, minutes: 1, addressLines: 1, addresses: 1 }
  assert.deepEqual(await left(), all)
  at(2 * hourMs - minuteMs)
  assert.deepEqual(await left(), all)
  at(2 * hourMs + minuteMs)
  assert.deepEqual(await left(), { ...all, minutes: 0 })
  // Rows are pruned hourly: rows that are left now are deleted an hour later, before they are 48 hours old.
  at(47 * hourMs)
  assert.deepEqual(await left(), { ...all, minutes: 0, addresses: 0 })
  at(47 * hourMs + 1)
  const withoutAddresses = { ...all, minutes: 0, addresses: 0, addressLines: 0 }
  assert.deepEqual(await left(), withoutAddresses)
  at(7 * dayMs)
  assert.deepEqual(await left(), withoutAddresses)
  at(7 * dayMs + 1)
  assert.deepEqual(await left(), { ...withoutAddresses, lines: 0 })
  at(7 * dayMs + 2 * hourMs)
  assert.deepEqual(await left(), { ...withoutAddresses, lines: 0, hours: 0 })
})

test('a starting process deletes rows that expired while none ran', async t => {
  const { note, write, at, restart, count } = await openTestRequestLog(t)
  note(servedRequest(), anonymousRequest('192.0.2.1'))
  await write()
  at(3 * dayMs)
  await restart()
  assert.deepEqual([await count('key_request'), await count('address_request')], [1, 0])
})

test('more rows than one step deletes are all deleted', async t => {
  const { pools, now, at, rows, count } = await openTestRequestLog(t)
  await rows(`insert into chancery_access.key_request (request_id, at, key_id, operation, status, duration_us)
    select 'req_' || n, '2026-06-01T12:00:00Z', 'key_1', 'none', 404, 1 from generate_series(1, 12345) n`)
  at(8 * dayMs)
  assert.equal(await pruneRequestLog(pools.access, now()), 12_345)
  assert.equal(await count('key_request'), 0)
})

test('the request log never exceeds its rows: the oldest are deleted, and requests without a key displace none of a key', async t => {
  const { note, write, at, account, count, dropped } = await openTestRequestLog(t, { rowsMax: 400 })
  note(...Array.from({ length: 100 }, () => servedRequest()))
  await write()
  const ofOther = () => anonymousRequest('192.0.2.1')
  for (let round = 1; round <= 20; round += 1) {
    at(round * 1_000)
    note(...Array.from({ length: 50 }, ofOther))
    await write()
    await until(async () => (await count('address_request')) <= 100, 'addresses are within a quarter')
  }
  assert.equal(await count('key_request'), 100, 'a flood without a key displaces no row of a key')

  const requests = Array.from({ length: 900 }, () => servedRequest())
  for (let first = 0; first < 900; first += 90) {
    at(minuteMs + first)
    note(...requests.slice(first, first + 90))
    await write()
    await until(async () => (await count('key_request')) <= 300, 'keys are within three quarters')
  }
  const kept = await account.calls({ keyIds: ['key_1'], limit: 1_000 })
  assert.ok(kept.length >= 297, `${kept.length} are kept`)
  assert.deepEqual(
    kept.map(({ request_id }) => request_id),
    requests
      .slice(-kept.length)
      .reverse()
      .map(({ requestId }) => requestId),
  )
  assert.deepEqual(
    dropped,
    { line: 0, count: 0 },
    'rows that were written and deleted later do not count as dropped',
  )
})
