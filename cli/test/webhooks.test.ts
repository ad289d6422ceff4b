import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responding, startStubApi, token } from './stub-api.ts'
import { arrived, controlCharacters, endpoint, hostile, missed, withSecret } from './webhook-fixtures.ts'

const added = { ...withSecret, test: arrived }
const add = ['webhooks', 'add', '--nation', 'n42', '--url', 'https://bot.example.com/events']

test('webhooks add prints id, secret and event filter; --json the response', async t => {
  const api = await startStubApi(t, { respond: responding(201, added) })
  const people = await api.run(add)
  assert.equal(people.status, 0)
  assert.match(people.output, /^id {6}whe_1\nsecret {2}whsec_c2VjcmV0\n/)
  assert.match(
    people.output,
    /responded to the test with 204 in 35 ms\. The endpoint is active\.\nEvents: all\n$/,
  )
  assert.equal(people.output.split('whsec_').length, 2)
  const document = await api.json(add)
  assert.deepEqual(document, added)
  assert.deepEqual(Object.keys(document).slice(0, 2), ['id', 'secret'])
  const body = { nation_id: 'n42', url: 'https://bot.example.com/events' }
  assert.deepEqual(api.calls[0], { method: 'POST', path: '/webhooks', token, body })
})

test('the filter of a new endpoint is split at commas and trimmed, and validated by the service', async t => {
  const api = await startStubApi(t, { respond: responding(201, added) })
  const words = [
    'webhooks',
    'add',
    '--player',
    'p7',
    '--url',
    'https://x.example/',
    '--description',
    'war room',
  ]
  const filter = ['--types', 'war.*, my_game.kind,war.*', '--nations', 'n1 ,n2', '--alliances', 'a1']
  assert.equal((await api.run([...words, ...filter])).status, 0)
  assert.deepEqual(api.calls[0]?.body, {
    player_id: 'p7',
    url: 'https://x.example/',
    description: 'war room',
    types: ['war.*', 'my_game.kind'],
    nation_ids: ['n1', 'n2'],
    alliance_ids: ['a1'],
  })
})

test('an endpoint that fails its test is added: the result is shown, and the next command', async t => {
  const unconfirmed = { ...added, status: 'unconfirmed', test: missed }
  const api = await startStubApi(t, { respond: responding(201, unconfirmed) })
  const { status, output, messages } = await api.run(add)
  assert.equal(status, 0)
  assert.equal(messages, '')
  assert.match(output, /Status 404: the receiver has no such path\n {2}Response: Not Found\n/)
  assert.match(output, /not active yet, and receives no events\. .*\n\n {2}chancery webhooks test whe_1\n$/)
})

test('a test of an address that is not public names the variable that permits it', async t => {
  const test = { ...missed, status: null, error: 'address_not_public', answer: null }
  const api = await startStubApi(t, { respond: responding(201, { ...added, status: 'unconfirmed', test }) })
  const { output } = await api.run(add)
  assert.match(
    output,
    /No response: the address of the host is not public\n {2}CHANCERY_WEBHOOKS_ALLOW_LOCAL=true /,
  )
})

test('webhooks list can be limited to one nation, and shows filter and state of each endpoint', async t => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const since = daysAgo(2)
  const data = [
    { ...endpoint, types: ['war.*', 'battle.fought'], alliance_ids: ['a1'] },
    { ...endpoint, status: 'unconfirmed', nation_ids: ['n1', 'n2', 'n3'] },
    { ...endpoint, status: 'disabled', disabled_reason: 'gone' },
    { ...endpoint, status: 'disabled', disabled_reason: 'a_later_reason' },
    { ...endpoint, failing_since: since, switches_off_at: daysAgo(-2.99) },
    { ...endpoint, failing_since: since, switches_off_at: daysAgo(0.1) },
  ]
  const api = await startStubApi(t, { respond: responding(200, { data }) })
  const { output } = await api.run('webhooks list --nation n42')
  assert.equal(api.calls[0]?.path, '/webhooks?nation_id=n42')
  const failing = `failing since ${since.slice(0, 16).replace('T', ' ')}`
  assert.deepEqual(
    output.split('\n').map(line => line.split(/ {2,}/).slice(3)),
    [
      ['EVENTS', 'STATE'],
      ['war.* +1; alliances a1', 'active'],
      ['nations n1 +2', 'unconfirmed'],
      ['all', 'disabled: returned 410'],
      ['all', 'disabled: a_later_reason'],
      ['all', `${failing}, 40 %`],
      ['all', `${failing}, 99 %`],
      [],
    ],
  )
  assert.deepEqual(await api.json('webhooks list'), { data })
})

test('responses of receivers are printed without control characters, as text and as JSON', async t => {
  const body = { ...added, status: 'unconfirmed', test: { ...missed, answer: hostile } }
  const api = await startStubApi(t, { respond: responding(201, body) })
  const people = await api.run(add)
  assert.match(people.output, /Response: \\u001b\[2J\\u001b\]0;mine\\u0007\\u009b31m\\u202eowned\n/)
  assert.doesNotMatch(people.output, controlCharacters)
  assert.doesNotMatch(people.output, /second line/)
  const { output } = await api.run([...add, '--json'])
  assert.doesNotMatch(output, controlCharacters)
  assert.equal(JSON.parse(output).test.answer, hostile)
})

test('an unexpected response is one clear line', async t => {
  const api = await startStubApi(t, { respond: responding(200, { data: [{ ...endpoint, status: 'odd' }] }) })
  const { status, messages } = await api.run('webhooks list')
  assert.equal(status, 1)
  assert.match(messages, /^chancery: unexpected response to webhooks\.list: \/data\/0\/status .*\n$/)
})

test('an error that quotes untrusted text is printed without control characters', async t => {
  const error = { code: 'bad_request', message: `No: ${hostile}`, request_id: 'req_9' }
  const api = await startStubApi(t, { respond: responding(400, { error }) })
  const { status, messages } = await api.run(add)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: No: /)
  assert.doesNotMatch(messages, controlCharacters)
})
