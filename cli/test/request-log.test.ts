import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
import { responding, startStubApi } from './stub-api.ts'

const withKey = {
  request_id: 'req_8f2c61d09ab37e45',
  at: '2026-06-01T12:30:30.25Z',
  operation: 'me.nation',
  status: 200,
  duration_ms: 4.485,
  key_id: 'key_1',
  key_name: 'war \u001b[31mroom\n',
  player_id: 'p1',
  address: null,
}
const without = { ...withKey, key_id: null, key_name: null, player_id: null, address: '192.0.2.1' }

test('request shows the log lines of a request, with and without a key', async t => {
  const found = { data: [withKey, without] }
  const api = await startStubApi(t, { respond: responding(200, found) })
  const { status, output } = await chancery(['request', 'req/1'], api.variables)
  assert.equal(status, 0)
  assert.equal(api.calls[0]?.path, '/requests/req%2F1')
  const [head, first, second, ...more] = output.trimEnd().split('\n')
  assert.deepEqual(more, [])
  assert.match(head ?? '', /^TIME +OPERATION +STATUS +TOOK +KEY +NAME +PLAYER +ADDRESS$/)
  assert.match(
    first ?? '',
    /^06-01 12:30:30 +me\.nation +200 +4\.5 ms +key_1 +war \\u001b\[31mroom\\n +p1 +-$/,
    'untrusted text is one line without control characters',
  )
  assert.match(second ?? '', /^06-01 12:30:30 +me\.nation +200 +4\.5 ms +- +- +- +192\.0\.2\.1$/)
  const json = await chancery(['request', 'req_1', '--json'], api.variables)
  assert.deepEqual(JSON.parse(json.output), found)
})

test('an unknown request is one line, and exit status 1', async t => {
  const message = 'There is no such request with this id in the journal.'
  const error = { code: 'not_found', message, request_id: 'req_9' }
  const api = await startStubApi(t, { respond: responding(404, { error }) })
  const { status, output, messages } = await chancery(['request', 'req_1'], api.variables)
  assert.deepEqual([status, output], [1, ''])
  assert.equal(messages, `chancery: ${message} (not_found, request req_9)\n`)
})

test('keys top lists the keys with the most requests, with refused ones and redeemed codes', async t => {
  const key = { key_id: 'key_1', name: 'my bot', player_id: 'p1', calls: 12_345, limited: 7, refused: 2 }
  const usage = { data: [{ ...key, deprecated: 5, redemptions: 31 }] }
  const api = await startStubApi(t, { respond: responding(200, usage) })
  const { output } = await chancery(['keys', 'top'], api.variables)
  assert.match(
    output,
    /^ID +PLAYER +NAME +CALLS +LIMITED +FORBIDDEN +DEPRECATED +REDEEMED\nkey_1 +p1 +my bot +12,345 +7 +2 +5 +31\n$/,
  )
  const json = await chancery('keys top --hours 168 --limit 5 --json'.split(' '), api.variables)
  assert.deepEqual(JSON.parse(json.output), usage)
  assert.deepEqual(
    api.calls.map(({ path }) => path),
    ['/usage/keys?hours=24&limit=20', '/usage/keys?hours=168&limit=5'],
  )
})

test('addresses top lists the addresses with the most requests without a key', async t => {
  const usage = { data: [{ address: '2001:db8::/64', calls: 1_000, limited: 900, refused: 50 }] }
  const api = await startStubApi(t, { respond: responding(200, usage) })
  const { output } = await chancery(['addresses', 'top', '--hours', '2'], api.variables)
  assert.match(output, /^ADDRESS +CALLS +LIMITED +WRONG KEY\n2001:db8::\/64 +1,000 +900 +50\n$/)
  const json = await chancery(['addresses', 'top', '--json'], api.variables)
  assert.deepEqual(JSON.parse(json.output), usage)
  assert.deepEqual(
    api.calls.map(({ path }) => path),
    ['/usage/addresses?hours=2&limit=20', '/usage/addresses?hours=24&limit=20'],
  )
})

test('an empty list of callers is reported as such', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data: [] }) })
  assert.equal((await chancery(['keys', 'top'], api.variables)).output, 'no requests with a key\n')
  assert.equal((await chancery(['addresses', 'top'], api.variables)).output, 'no requests without a key\n')
})

for (const words of [
  ['request'],
  ['request', 'req_1', 'req_2'],
  ['keys', 'top', '--hours', '169'],
  ['keys', 'top', '--limit', '0'],
  ['addresses'],
  ['addresses', 'top', '--hours', '48'],
  ['addresses', 'top', '--hours', 'x'],
])
  test(`wrong usage exits with 2: ${words.join(' ')}`, async () => {
    const { status, output, messages } = await chancery(words)
    assert.deepEqual([status, output], [2, ''])
    assert.notEqual(messages, '')
  })

for (const words of [['request'], ['keys', 'top'], ['addresses', 'top']])
  test(`--help shows examples: ${words.join(' ')}`, async () => {
    const { status, output } = await chancery([...words, '--help'])
    assert.equal(status, 0)
    assert.match(output, new RegExp(`Examples:\\n(.*\\n)*.*chancery ${words.join(' ')}`))
  })
