import assert from 'node:assert/strict'
import { test } from 'node:test'
import { topKeys } from '../../src/request-log/queries.ts'
import { hourMs, minuteMs, openTestRequestLog, start, total } from './test-request-log.ts'
import { anonymousRequest, servedRequest } from './test-requests.ts'

const limited = () => servedRequest({ status: 429 })

test('usage shows every minute of an hour and every hour of a week, zeros included', async t => {
  const { account, note, at } = await openTestRequestLog(t)
  const empty = await account.usage('key_1')
  assert.equal(empty.minutes.length, 60)
  assert.equal(empty.hours.length, 168)
  assert.deepEqual([total(empty.minutes), total(empty.hours)], [0, 0])
  assert.deepEqual([empty.operations, empty.statuses], [[], []])
  assert.deepEqual(empty.minutes.at(-1), { at: '2026-06-01T12:30:00Z', calls: 0, limited: 0 })
  assert.deepEqual(empty.minutes[0]?.at, '2026-06-01T11:31:00Z')
  assert.deepEqual(empty.hours.at(-1), { at: '2026-06-01T12:00:00Z', calls: 0, limited: 0 })
  assert.deepEqual(empty.hours[0]?.at, '2026-05-25T13:00:00Z')

  note(servedRequest({ operation: 'wars.list' }), servedRequest({ operation: 'wars.list' }), limited())
  at(minuteMs)
  note(servedRequest({ status: 404 }), servedRequest({ keyId: 'key_2' }), anonymousRequest('192.0.2.1'))
  at(30 * minuteMs)
  note(limited())
  const { minutes, hours, operations, statuses } = await account.usage('key_1')
  assert.deepEqual(
    minutes.filter(({ calls }) => calls > 0),
    [
      { at: '2026-06-01T12:30:00Z', calls: 3, limited: 1 },
      { at: '2026-06-01T12:31:00Z', calls: 1, limited: 0 },
      { at: '2026-06-01T13:00:00Z', calls: 1, limited: 1 },
    ],
  )
  assert.deepEqual(
    hours.filter(({ calls }) => calls > 0),
    [
      { at: '2026-06-01T12:00:00Z', calls: 4, limited: 1 },
      { at: '2026-06-01T13:00:00Z', calls: 1, limited: 1 },
    ],
  )
  assert.deepEqual(operations, [
    { operation: 'nations.get', calls: 3, deprecated: 0 },
    { operation: 'wars.list', calls: 2, deprecated: 0 },
  ])
  assert.deepEqual(statuses, [
    { status: 200, calls: 2 },
    { status: 429, calls: 2 },
    { status: 404, calls: 1 },
  ])
})

test('errors are counted by code and parameter, of each key', async t => {
  const { account, note, at } = await openTestRequestLog(t)
  const rejected = (errorCode: string, errorParameter: string | null = null, keyId = 'key_1') =>
    servedRequest({ status: 400, errorCode, errorParameter, keyId })
  note(
    rejected('invalid_parameter', 'limit'),
    rejected('invalid_parameter', 'page'),
    rejected('invalid_parameter', 'limit', 'key_2'),
    servedRequest(),
  )
  at(hourMs)
  note(
    rejected('invalid_parameter', 'limit'),
    rejected('rate_limited'),
    rejected('rate_limited'),
    rejected('rate_limited'),
  )
  const { errors, statuses } = await account.usage('key_1')
  assert.deepEqual(errors, [
    { code: 'rate_limited', parameter: null, calls: 3 },
    { code: 'invalid_parameter', parameter: 'limit', calls: 2 },
    { code: 'invalid_parameter', parameter: 'page', calls: 1 },
  ])
  assert.deepEqual(statuses, [
    { status: 400, calls: 6 },
    { status: 200, calls: 1 },
  ])
})

test('responses with a Deprecation header are counted by operation, for the owner and the operator', async t => {
  const { account, note, at, requestLog, now } = await openTestRequestLog(t)
  const deprecatedRequest = { operation: 'wars.list', isDeprecated: true }
  note(
    servedRequest(deprecatedRequest),
    servedRequest({ operation: 'wars.list' }),
    servedRequest(),
    anonymousRequest('192.0.2.1', deprecatedRequest),
  )
  at(hourMs)
  note(servedRequest(deprecatedRequest), servedRequest({ ...deprecatedRequest, keyId: 'key_2' }))
  const { operations } = await account.usage('key_1')
  assert.deepEqual(operations, [
    { operation: 'wars.list', calls: 3, deprecated: 2 },
    { operation: 'nations.get', calls: 1, deprecated: 0 },
  ])
  const keys = await requestLog.read(db => topKeys(db, { hours: 2, limit: 9 }, now()))
  assert.deepEqual(
    keys.map(({ key_id, calls, deprecated }) => ({ key_id, calls, deprecated })),
    [
      { key_id: 'key_1', calls: 4, deprecated: 2 },
      { key_id: 'key_2', calls: 1, deprecated: 1 },
    ],
  )
})

test('minutes are shown for an hour and hours for a week', async t => {
  const { account, note, at } = await openTestRequestLog(t)
  note(servedRequest())
  at(59 * minuteMs)
  assert.equal(total((await account.usage('key_1')).minutes), 1)
  at(60 * minuteMs)
  assert.equal(total((await account.usage('key_1')).minutes), 0)
  at(167 * hourMs)
  assert.equal(total((await account.usage('key_1')).hours), 1)
  at(168 * hourMs)
  const last = await account.usage('key_1')
  assert.deepEqual([total(last.hours), last.operations, last.statuses], [0, [], []])
})

test('requests today are those since midnight in UTC, of each key', async t => {
  const { account, note, at } = await openTestRequestLog(t)
  const midnight = Date.parse('2026-06-02T00:00:00Z') - start
  note(servedRequest(), servedRequest())
  at(midnight - 1)
  note(servedRequest({ keyId: 'key_2' }))
  assert.deepEqual(
    await account.callsToday(['key_2', 'key_1', 'key_3']),
    new Map([
      ['key_1', 2],
      ['key_2', 1],
    ]),
  )
  assert.deepEqual(await account.callsToday(['key_2']), new Map([['key_2', 1]]))
  at(midnight)
  note(servedRequest({ keyId: 'key_2' }))
  assert.deepEqual(await account.callsToday(['key_1', 'key_2']), new Map([['key_2', 1]]))
})

test('requests are listed newest first over several keys, and found by id with these keys alone', async t => {
  const { account, note, at } = await openTestRequestLog(t)
  const requests = Array.from({ length: 30 }, (_, index) =>
    servedRequest({ keyId: `key_${index % 3}`, status: 200 + index, durationMs: index + 0.125 }),
  )
  for (const [index, request] of requests.entries()) {
    // Some in the same millisecond: they keep their order.
    at(Math.floor(index / 5))
    note(request)
  }
  const newestFirst = requests.toReversed()
  const ids = async (keyIds: string[], limit: number) =>
    (await account.calls({ keyIds, limit })).map(({ request_id }) => request_id)
  const idsOf = (wanted: typeof requests) => wanted.map(({ requestId }) => requestId)
  assert.deepEqual(await ids(['key_0', 'key_1', 'key_2'], 200), idsOf(newestFirst))
  assert.deepEqual(await ids(['key_1', 'key_2', 'key_1'], 7), [
    ...idsOf(newestFirst.filter(({ keyId }) => keyId !== 'key_0').slice(0, 7)),
  ])
  assert.deepEqual(await ids([], 200), [])

  const wanted = requests[10]
  assert.ok(wanted?.keyId === 'key_1')
  const search = { requestId: wanted.requestId, limit: 200 }
  assert.deepEqual(await account.calls({ ...search, keyIds: ['key_0', 'key_1'] }), [
    {
      request_id: wanted.requestId,
      at: '2026-06-01T12:30:30.002Z',
      key_id: 'key_1',
      operation: 'nations.get',
      status: 210,
      duration_ms: 10.125,
      error_code: null,
      error_parameter: null,
    },
  ])
  assert.deepEqual(await account.calls({ ...search, keyIds: ['key_0'] }), [])
  assert.deepEqual(await account.calls({ requestId: 'req_none', keyIds: ['key_1'], limit: 200 }), [])
})

test('two processes on one database add up', async t => {
  const one = await openTestRequestLog(t)
  const other = await openTestRequestLog(t, { databaseUrl: one.url })
  for (let round = 0; round < 5; round += 1) {
    one.note(servedRequest(), limited(), anonymousRequest('192.0.2.1'))
    other.note(servedRequest(), anonymousRequest('192.0.2.1'), anonymousRequest('192.0.2.1'))
    await Promise.all([one.write(), other.write()])
  }
  const { minutes, hours, statuses } = await other.account.usage('key_1')
  assert.deepEqual([total(minutes), total(hours)], [15, 15])
  assert.deepEqual(statuses, [
    { status: 200, calls: 10 },
    { status: 429, calls: 5 },
  ])
  assert.equal((await one.account.calls({ keyIds: ['key_1'], limit: 200 })).length, 15)
  assert.deepEqual(await one.rows('select address, calls::int from chancery_access.address_usage_hour'), [
    { address: '192.0.2.1', calls: 15 },
  ])
  assert.deepEqual([...one.errors, ...other.errors], [])
})

test('a disabled request log records nothing', async t => {
  const { account, note, count, dropped } = await openTestRequestLog(t, { rowsMax: 0 })
  note(servedRequest(), anonymousRequest('192.0.2.1'))
  assert.equal(total((await account.usage('key_1')).hours), 0)
  for (const table of [
    'key_request',
    'address_request',
    'key_usage_minute',
    'key_usage_hour',
    'address_usage_hour',
  ])
    assert.equal(await count(table), 0, table)
  assert.deepEqual(dropped, { line: 0, count: 0 })
})

test('an invalid address from a proxy is not stored', async t => {
  const { note, write, rows } = await openTestRequestLog(t)
  for (const address of ['192.0.2.7', '2001:db8:0:1::/64', 'a-secret-in-a-header', '', 'f'.repeat(500)])
    note(anonymousRequest(address))
  await write()
  const expected = ['192.0.2.7', '2001:db8:0:1::/64', 'unknown', 'unknown', 'unknown']
  for (const table of ['address_request', 'address_usage_hour']) {
    const addresses = await rows<{ address: string }>(
      `select address from chancery_access.${table} order by 1`,
    )
    assert.deepEqual(
      addresses.map(({ address }) => address),
      table === 'address_request' ? expected : [...new Set(expected)],
    )
  }
})
