import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
import { responding, startStubApi, token } from './stub-api.ts'

const record = {
  id: 'key_1',
  player_id: 'p42',
  name: 'my bot',
  scopes: ['nation.read', 'economy.read'],
  prefix: 'chk_4fZk',
  limit: null,
  limit_note: null,
  created_at: '2026-03-01T12:00:00Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  limit_request: null,
}
const withKey = { ...record, key: 'chk_secret' }

test('keys create prints the key, and with --json one document that begins with id and key', async t => {
  const api = await startStubApi(t, { respond: responding(201, withKey) })
  const words = [
    'keys',
    'create',
    '--nation',
    'n42',
    '--name',
    'my bot',
    '--scopes',
    'nation.read,economy.read',
  ]
  const people = await chancery(words, api.variables)
  assert.equal(people.status, 0)
  assert.match(people.output, /^chk_secret\n/)
  const { output } = await chancery([...words, '--json'], api.variables)
  const document = JSON.parse(output)
  assert.deepEqual(Object.keys(document).slice(0, 2), ['id', 'key'])
  assert.deepEqual(document, withKey)
  assert.deepEqual(api.calls[0], {
    method: 'POST',
    path: '/keys',
    token,
    body: { nation_id: 'n42', name: 'my bot', scopes: ['nation.read', 'economy.read'] },
  })
})

test('expiry and limit of a new key are sent', async t => {
  const api = await startStubApi(t, { respond: responding(201, withKey) })
  const words = 'keys create --player p7 --name x --expires 2027-01-01 --limit 300'.split(' ')
  assert.equal((await chancery(words, api.variables)).status, 0)
  assert.deepEqual(api.calls[0]?.body, {
    player_id: 'p7',
    name: 'x',
    expires_at: '2027-01-01T00:00:00Z',
    limit: 300,
  })
})

test('keys list can be limited to one player, and prints a table or the records', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data: [record] }) })
  const { output } = await chancery(['keys', 'list', '--player', 'p42'], api.variables)
  assert.match(
    output,
    /^ID +PLAYER +NAME .*\nkey_1 +p42 +my bot +nation\.read,economy\.read +default +never used\n$/,
  )
  assert.equal(api.calls[0]?.path, '/keys?player_id=p42')
  const json = await chancery(['keys', 'list', '--json'], api.variables)
  assert.deepEqual(JSON.parse(json.output), { data: [record] })
})

test('keys list shows requests for a higher limit, and with --json their reason', async t => {
  const limitRequest = {
    calls_per_minute: 600,
    sentence: 'Our war room has forty members.',
    asked_at: '2026-03-02T12:00:00Z',
  }
  const asking = { ...record, limit_request: limitRequest }
  const api = await startStubApi(t, { respond: responding(200, { data: [asking] }) })
  assert.match(
    (await chancery(['keys', 'list'], api.variables)).output,
    /default, requests 600 +never used\n$/,
  )
  const json = await chancery(['keys', 'list', '--json'], api.variables)
  assert.deepEqual(JSON.parse(json.output), { data: [asking] })
})

test('keys revoke and set-limit name the key in the path', async t => {
  const api = await startStubApi(t, { respond: responding(200, record) })
  await chancery(['keys', 'revoke', 'key/1'], api.variables)
  await chancery(['keys', 'set-limit', 'key_1', '600', '--note', 'approved'], api.variables)
  await chancery(['keys', 'set-limit', 'key_1', 'none'], api.variables)
  assert.deepEqual(
    api.calls.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/keys/key%2F1/revoke', undefined],
      ['PUT', '/keys/key_1/limit', { limit: 600, note: 'approved' }],
      ['PUT', '/keys/key_1/limit', { limit: null, note: null }],
    ],
  )
})

test('codes issue prints the code, and with --json exactly code and expires_at', async t => {
  const issued = { code: 'K7PWM3XQ9T', expires_at: '2026-03-01T12:10:00Z' }
  const api = await startStubApi(t, { respond: responding(201, issued) })
  const words = ['codes', 'issue', '--nation', 'n42', '--for', '803511102']
  assert.match((await chancery(words, api.variables)).output, /^K7PWM3XQ9T\n/)
  assert.deepEqual(JSON.parse((await chancery([...words, '--json'], api.variables)).output), issued)
  assert.deepEqual(api.calls[0]?.body, { nation_id: 'n42', for: '803511102' })
})

test('an error of the service is one line with its request id, and exit status 1', async t => {
  const error = { code: 'not_found', message: 'There is no such nation.', request_id: 'req_9' }
  const api = await startStubApi(t, { respond: responding(404, { error }) })
  const { status, output, messages } = await chancery(['codes', 'issue', '--nation', 'n9'], api.variables)
  assert.equal(status, 1)
  assert.equal(output, '')
  assert.equal(messages, 'chancery: There is no such nation. (not_found, request req_9)\n')
})

test('address and token are found in the data directory', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data: [] }) })
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-cli-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const addresses = { public: 'http://x', operator: api.variables.CHANCERY_OPERATOR_URL }
  await writeFile(join(dataDir, 'addresses.json'), JSON.stringify(addresses))
  await writeFile(join(dataDir, 'operator-token'), `${token}\n`)
  const { status, output } = await chancery(['keys', 'list'], { CHANCERY_DATA_DIR: dataDir })
  assert.equal(status, 0)
  assert.equal(output, 'no keys\n')
})

test('a command sends CHANCERY_OPERATOR_TOKEN, and without it the admin token of the service', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data: [] }) })
  const { CHANCERY_OPERATOR_URL } = api.variables
  const sent = async (variables: Record<string, string>) => {
    await chancery(['keys', 'list'], { CHANCERY_OPERATOR_URL, ...variables })
    return api.calls.at(-1)?.token
  }
  const CHANCERY_ADMIN_TOKEN = 'admin-token-of-a-test'
  assert.equal(await sent({ CHANCERY_ADMIN_TOKEN }), CHANCERY_ADMIN_TOKEN)
  assert.equal(await sent({ CHANCERY_ADMIN_TOKEN, CHANCERY_OPERATOR_TOKEN: token }), token)
})

test('without an address the message names the variable to set', async () => {
  const { status, messages } = await chancery(['keys', 'list'], { CHANCERY_DATA_DIR: '/nowhere' })
  assert.equal(status, 1)
  assert.match(messages, /^chancery: no Chancery has run on .*CHANCERY_OPERATOR_URL.*\n$/)
})
