import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { operatorOperations } from '@chancery/contract'
import { chancery } from './chancery.ts'
import { exampleItem, responding, startStubApi, token } from './stub-api.ts'

const record = {
  ...exampleItem(operatorOperations.keysList),
  id: 'key_1',
  scopes: ['nation.read', 'economy.read'],
  last_used_at: null,
}
const withKey = { ...record, key: 'chk_secret' }

test('keys create prints the key, and with --json one document that begins with id and key', async t => {
  const api = await startStubApi(t, { respond: responding(201, withKey) })
  const scopes = ['--scopes', 'nation.read,economy.read']
  const words = ['keys', 'create', '--nation', 'n42', '--name', 'my bot', ...scopes]
  const people = await api.run(words)
  assert.equal(people.status, 0)
  assert.match(people.output, /^chk_secret\n/)
  const document = await api.json(words)
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
  assert.equal((await api.run(words)).status, 0)
  assert.deepEqual(api.calls[0]?.body, {
    player_id: 'p7',
    name: 'x',
    expires_at: '2027-01-01T00:00:00Z',
    limit: 300,
  })
})

test('keys list can be limited to one player, and prints a table or the records', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data: [record] }) })
  const { output } = await api.run('keys list --player p42')
  assert.match(
    output,
    /^ID +PLAYER +NAME .*\nkey_1 +p42 +my bot +nation\.read,economy\.read +default +never used\n$/,
  )
  assert.equal(api.calls[0]?.path, '/keys?player_id=p42')
  assert.deepEqual(await api.json('keys list'), { data: [record] })
})

test('keys list shows requests for a higher limit, and with --json their reason', async t => {
  const limitRequest = {
    calls_per_minute: 600,
    sentence: 'Our war room has forty members.',
    asked_at: '2026-03-02T12:00:00Z',
  }
  const withRequest = { ...record, limit_request: limitRequest }
  const api = await startStubApi(t, { respond: responding(200, { data: [withRequest] }) })
  assert.match((await api.run('keys list')).output, /default \(requested: 600\) +never used\n$/)
  assert.deepEqual(await api.json('keys list'), { data: [withRequest] })
})

test('keys revoke and set-limit name the key in the path', async t => {
  const api = await startStubApi(t, { respond: responding(200, record) })
  await api.run('keys revoke key/1')
  await api.run('keys set-limit key_1 600 --note approved')
  await api.run('keys set-limit key_1 none')
  assert.deepEqual(api.requests(), [
    ['POST', '/keys/key%2F1/revoke', undefined],
    ['PUT', '/keys/key_1/limit', { limit: 600, note: 'approved' }],
    ['PUT', '/keys/key_1/limit', { limit: null, note: null }],
  ])
})

test('codes issue prints the code, and with --json exactly code and expires_at', async t => {
  const issued = { code: 'K7PWM3XQ9T', expires_at: '2026-03-01T12:10:00Z' }
  const api = await startStubApi(t, { respond: responding(201, issued) })
  const words = ['codes', 'issue', '--nation', 'n42', '--for', '803511102']
  assert.match((await api.run(words)).output, /^K7PWM3XQ9T\n/)
  assert.deepEqual(await api.json(words), issued)
  assert.deepEqual(api.calls[0]?.body, { nation_id: 'n42', for: '803511102' })
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
  assert.match(messages, /^chancery: no service found in .*CHANCERY_OPERATOR_URL.*\n$/)
})

test('keys requests, approve, decline and calls', async t => {
  const list = await startStubApi(t, {
    respond: responding(200, { data: [exampleItem(operatorOperations.limitRequestsList)] }),
  })
  assert.match(
    (await list.run('keys requests')).output,
    /^KEY +PLAYER +NAME +LIMIT +REQUESTED +SINCE +REASON\nkey_4fZk81QzL0w +p42 +my bot +default +600 +2026-05-27 18:00 +War room of forty members\.\n$/,
  )
  const resolved = await startStubApi(t, {
    respond: responding(200, { key_id: 'key_1', limit: 300, note: null }),
  })
  assert.equal(
    (await resolved.run(['keys', 'approve', 'key_1', '--limit', '300', '--note', 'half'])).output,
    'key_1 may make 300 requests a minute\n',
  )
  assert.equal((await resolved.run('keys decline key_1')).output, 'the request of key_1 is declined\n')
  assert.deepEqual(resolved.requests(), [
    ['POST', '/limit-requests/key_1/approve', { limit: 300, note: 'half' }],
    ['POST', '/limit-requests/key_1/decline', {}],
  ])
  const calls = await startStubApi(t, {
    respond: responding(200, { data: [exampleItem(operatorOperations.keysRequests)] }),
  })
  assert.match(
    (await calls.run('keys calls key_1 --limit 5')).output,
    /\n05-27 18:00:00 +nations\.get +200 +- +1\.7 ms +req_8f2c61d09ab37e45\n$/,
  )
  assert.deepEqual(calls.paths(), ['/keys/key_1/requests?limit=5'])
})
