import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
import { type Answer, openStubDoor, token } from './stub-door.ts'

const record = {
  id: 'key_1',
  player_id: 'p42',
  name: 'my bot',
  scopes: ['nation.read', 'economy.read'],
  limit: null,
  created_at: '2026-03-01T12:00:00Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  limit_request: null,
}
const withKey = { ...record, key: 'chk_secret' }

const answering =
  (status: number, body: unknown): Answer =>
  () => ({ status, body })

test('keys create prints the key, and with --json one document that begins with id and key', async t => {
  const door = await openStubDoor(t, { answer: answering(201, withKey) })
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
  const people = await chancery(words, door.variables)
  assert.equal(people.status, 0)
  assert.match(people.output, /^chk_secret\n/)
  const { output } = await chancery([...words, '--json'], door.variables)
  const document = JSON.parse(output)
  assert.deepEqual(Object.keys(document).slice(0, 2), ['id', 'key'])
  assert.deepEqual(document, withKey)
  assert.deepEqual(door.calls[0], {
    method: 'POST',
    path: '/keys',
    token,
    body: { nation_id: 'n42', name: 'my bot', scopes: ['nation.read', 'economy.read'] },
  })
})

test('expiry and limit of a new key are sent', async t => {
  const door = await openStubDoor(t, { answer: answering(201, withKey) })
  const words = 'keys create --player p7 --name x --expires 2027-01-01 --limit 300'.split(' ')
  assert.equal((await chancery(words, door.variables)).status, 0)
  assert.deepEqual(door.calls[0]?.body, {
    player_id: 'p7',
    name: 'x',
    expires_at: '2027-01-01T00:00:00Z',
    limit: 300,
  })
})

test('keys list asks for one player and prints a table or the records', async t => {
  const door = await openStubDoor(t, { answer: answering(200, { data: [record] }) })
  const { output } = await chancery(['keys', 'list', '--player', 'p42'], door.variables)
  assert.match(
    output,
    /^ID +PLAYER +NAME .*\nkey_1 +p42 +my bot +nation\.read,economy\.read +usual +never used\n$/,
  )
  assert.equal(door.calls[0]?.path, '/keys?player_id=p42')
  const json = await chancery(['keys', 'list', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), { data: [record] })
})

test('keys list shows who asks for a higher limit, and with --json why', async t => {
  const wish = {
    calls_per_minute: 600,
    sentence: 'Our war room has forty members.',
    asked_at: '2026-03-02T12:00:00Z',
  }
  const asking = { ...record, limit_request: wish }
  const door = await openStubDoor(t, { answer: answering(200, { data: [asking] }) })
  assert.match((await chancery(['keys', 'list'], door.variables)).output, /usual, asks 600 +never used\n$/)
  const json = await chancery(['keys', 'list', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), { data: [asking] })
})

test('keys revoke and set-limit name the key in the path', async t => {
  const door = await openStubDoor(t, { answer: answering(200, record) })
  await chancery(['keys', 'revoke', 'key/1'], door.variables)
  await chancery(['keys', 'set-limit', 'key_1', '600', '--note', 'approved'], door.variables)
  await chancery(['keys', 'set-limit', 'key_1', 'none'], door.variables)
  assert.deepEqual(
    door.calls.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/keys/key%2F1/revoke', undefined],
      ['PUT', '/keys/key_1/limit', { limit: 600, note: 'approved' }],
      ['PUT', '/keys/key_1/limit', { limit: null, note: null }],
    ],
  )
})

test('codes issue prints the code, and with --json exactly code and expires_at', async t => {
  const issued = { code: 'K7PWM3XQ9T', expires_at: '2026-03-01T12:10:00Z' }
  const door = await openStubDoor(t, { answer: answering(201, issued) })
  const words = ['codes', 'issue', '--nation', 'n42', '--for', '803511102']
  assert.match((await chancery(words, door.variables)).output, /^K7PWM3XQ9T\n/)
  assert.deepEqual(JSON.parse((await chancery([...words, '--json'], door.variables)).output), issued)
  assert.deepEqual(door.calls[0]?.body, { nation_id: 'n42', for: '803511102' })
})

test('a refusal of the service is one line with its request, and status 1', async t => {
  const error = { code: 'not_found', message: 'There is no such nation.', request_id: 'req_9' }
  const door = await openStubDoor(t, { answer: answering(404, { error }) })
  const { status, output, messages } = await chancery(['codes', 'issue', '--nation', 'n9'], door.variables)
  assert.equal(status, 1)
  assert.equal(output, '')
  assert.equal(messages, 'chancery: There is no such nation. (not_found, request req_9)\n')
})

test('address and token are found in the data directory', async t => {
  const door = await openStubDoor(t, { answer: answering(200, { data: [] }) })
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-cli-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const addresses = { public: 'http://x', operator: door.variables.CHANCERY_OPERATOR_URL }
  await writeFile(join(dataDir, 'addresses.json'), JSON.stringify(addresses))
  await writeFile(join(dataDir, 'operator-token'), `${token}\n`)
  const { status, output } = await chancery(['keys', 'list'], { CHANCERY_DATA_DIR: dataDir })
  assert.equal(status, 0)
  assert.equal(output, 'no keys\n')
})

test('a command sends CHANCERY_OPERATOR_TOKEN, and without it the main token of the service', async t => {
  const door = await openStubDoor(t, { answer: answering(200, { data: [] }) })
  const { CHANCERY_OPERATOR_URL } = door.variables
  const sent = async (variables: Record<string, string>) => {
    await chancery(['keys', 'list'], { CHANCERY_OPERATOR_URL, ...variables })
    return door.calls.at(-1)?.token
  }
  const CHANCERY_ADMIN_TOKEN = 'admin-token-of-a-test'
  assert.equal(await sent({ CHANCERY_ADMIN_TOKEN }), CHANCERY_ADMIN_TOKEN)
  assert.equal(await sent({ CHANCERY_ADMIN_TOKEN, CHANCERY_OPERATOR_TOKEN: token }), token)
})

test('without any address the message says what to set', async () => {
  const { status, messages } = await chancery(['keys', 'list'], { CHANCERY_DATA_DIR: '/nowhere' })
  assert.equal(status, 1)
  assert.match(messages, /^chancery: no Chancery has run on .*CHANCERY_OPERATOR_URL.*\n$/)
})
