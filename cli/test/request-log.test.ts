import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOperations } from '@chancery/contract'
import { type Call, exampleItem, responding, startStubApi } from './stub-api.ts'

const withKey = {
  ...exampleItem(operatorOperations.requestsGet),
  at: '2026-06-01T12:30:30.25Z',
  operation: 'me.nation',
  duration_ms: 4.485,
  key_id: 'key_1',
  key_name: 'war \u001b[31mroom\n',
  player_id: 'p1',
}
const rejected = { status: 400, error_code: 'invalid_parameter', error_parameter: 'limit' }
const without = {
  ...withKey,
  ...rejected,
  key_id: null,
  key_name: null,
  player_id: null,
  address: '192.0.2.1',
}

test('request shows the log lines of a request, with and without a key', async t => {
  const found = { data: [withKey, without] }
  const api = await startStubApi(t, { respond: responding(200, found) })
  const { status, output } = await api.run('request req/1')
  assert.equal(status, 0)
  assert.equal(api.calls[0]?.path, '/requests/req%2F1')
  const [head, first, second, ...more] = output.trimEnd().split('\n')
  assert.deepEqual(more, [])
  assert.match(head ?? '', /^TIME +OPERATION +STATUS +ERROR +TOOK +KEY +NAME +PLAYER +ADDRESS$/)
  assert.match(
    first ?? '',
    /^06-01 12:30:30 +me\.nation +200 +- +4\.5 ms +key_1 +war \\u001b\[31mroom\\n +p1 +-$/,
    'untrusted text is one line without control characters',
  )
  assert.match(
    second ?? '',
    /^06-01 12:30:30 +me\.nation +400 +invalid_parameter: limit +4\.5 ms +- +- +- +192\.0\.2\.1$/,
  )
  assert.deepEqual(await api.json('request req_1'), found)
})

test('keys top lists the keys with the most requests, with rejected ones and redeemed codes', async t => {
  const key = { key_id: 'key_1', name: 'my bot', player_id: 'p1', calls: 12_345, limited: 7, refused: 2 }
  const usage = { data: [{ ...key, deprecated: 5, redemptions: 31 }] }
  const api = await startStubApi(t, { respond: responding(200, usage) })
  const { output } = await api.run('keys top')
  assert.match(
    output,
    /^ID +PLAYER +NAME +REQUESTS +LIMITED +FORBIDDEN +DEPRECATED +REDEEMED\nkey_1 +p1 +my bot +12,345 +7 +2 +5 +31\n$/,
  )
  const json = await api.run('keys top --hours 168 --limit 5 --json')
  assert.deepEqual(JSON.parse(json.output), usage)
  assert.deepEqual(api.paths(), ['/usage/keys?hours=24&limit=20', '/usage/keys?hours=168&limit=5'])
})

test('addresses top lists the addresses with the most requests without a key', async t => {
  const usage = { data: [{ address: '2001:db8::/64', calls: 1_000, limited: 900, refused: 50 }] }
  const api = await startStubApi(t, { respond: responding(200, usage) })
  const { output } = await api.run('addresses top --hours 2')
  assert.match(output, /^ADDRESS +REQUESTS +LIMITED +WRONG KEY\n2001:db8::\/64 +1,000 +900 +50\n$/)
  assert.deepEqual(await api.json('addresses top'), usage)
  assert.deepEqual(api.paths(), ['/usage/addresses?hours=2&limit=20', '/usage/addresses?hours=24&limit=20'])
})

test('addresses are blocked, allowed, listed and removed', async t => {
  const limit = exampleItem(operatorOperations.addressesList)
  const one = await startStubApi(t, { respond: responding(200, limit) })
  assert.equal(
    (await one.run(['addresses', 'block', '203.0.113.0/24', '--hours', '2', '--note', 'guesses'])).output,
    '203.0.113.9 is blocked until 2026-05-28 18:00 (UTC); keys still work\n',
  )
  assert.match(
    (await one.run('addresses allow 203.0.113.9')).output,
    /may make 6,000 requests a minute until/,
  )
  assert.equal(
    (await one.run('addresses remove 203.0.113.9')).output,
    '203.0.113.9 has the default limit again\n',
  )
  const [block, allow, removed] = one.calls as [Call, Call, Call]
  assert.deepEqual([block.method, block.path], ['PUT', '/addresses/203.0.113.0%2F24'])
  const { expires_at, ...rest } = block.body as { expires_at: string }
  assert.deepEqual(rest, { limit: 0, note: 'guesses' })
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 7_200_000) < 60_000)
  assert.equal((allow.body as { limit: number }).limit, 6_000)
  assert.equal(removed.method, 'DELETE')
  const list = await startStubApi(t, { respond: responding(200, { data: [limit] }) })
  assert.match(
    (await list.run('addresses list')).output,
    /^ADDRESS +LIMIT +UNTIL +NOTE\n203\.0\.113\.9 +blocked +2026-05-28 18:00 +guesses codes, see ticket 4712\n$/,
  )
})
