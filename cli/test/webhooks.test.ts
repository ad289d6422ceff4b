import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chancery } from './chancery.ts'
import { openStubDoor, token } from './stub-door.ts'
import { answering, arrived, endpoint, hostile, missed, orders, withSecret } from './webhook-answers.ts'

const added = { ...withSecret, test: arrived }
const add = ['webhooks', 'add', '--nation', 'n42', '--url', 'https://bot.example.com/events']

test('webhooks add prints id and secret once and what is heard; --json the document as it came', async t => {
  const door = await openStubDoor(t, { answer: answering(201, added) })
  const people = await chancery(add, door.variables)
  assert.equal(people.status, 0)
  assert.match(people.output, /^id {6}whe_1\nsecret {2}whsec_c2VjcmV0\n/)
  assert.match(people.output, /answered with 204 in 35 ms\. The endpoint is active\.\nIt hears: all\n$/)
  assert.equal(people.output.split('whsec_').length, 2)
  const { output } = await chancery([...add, '--json'], door.variables)
  const document = JSON.parse(output)
  assert.deepEqual(document, added)
  assert.deepEqual(Object.keys(document).slice(0, 2), ['id', 'secret'])
  const body = { nation_id: 'n42', url: 'https://bot.example.com/events' }
  assert.deepEqual(door.calls[0], { method: 'POST', path: '/webhooks', token, body })
})

test('the filter of a new endpoint is split at commas and trimmed, and its words are left to the service', async t => {
  const door = await openStubDoor(t, { answer: answering(201, added) })
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
  assert.equal((await chancery([...words, ...filter], door.variables)).status, 0)
  assert.deepEqual(door.calls[0]?.body, {
    player_id: 'p7',
    url: 'https://x.example/',
    description: 'war room',
    types: ['war.*', 'my_game.kind'],
    nation_ids: ['n1', 'n2'],
    alliance_ids: ['a1'],
  })
})

test('an endpoint that did not answer its test is there: what came instead is told, and how to go on', async t => {
  const unconfirmed = { ...added, status: 'unconfirmed', test: missed }
  const door = await openStubDoor(t, { answer: answering(201, unconfirmed) })
  const { status, output, messages } = await chancery(add, door.variables)
  assert.equal(status, 0)
  assert.equal(messages, '')
  assert.match(output, /404: the receiver has nothing at this path\n {2}It said: Not Found\n/)
  assert.match(output, /not active yet, and hears nothing\. .*\n\n {2}chancery webhooks test whe_1\n$/)
})

test('webhooks list asks for one nation and tells in short what each hears and how it stands', async t => {
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
  const door = await openStubDoor(t, { answer: answering(200, { data }) })
  const { output } = await chancery(['webhooks', 'list', '--nation', 'n42'], door.variables)
  assert.equal(door.calls[0]?.path, '/webhooks?nation_id=n42')
  const failing = `failing since ${since.slice(0, 16).replace('T', ' ')}`
  assert.deepEqual(
    output.split('\n').map(line => line.split(/ {2,}/).slice(3)),
    [
      ['HEARS', 'STATE'],
      ['war.* +1; alliances a1', 'active'],
      ['nations n1 +2', 'unconfirmed'],
      ['all', 'off: answered 410'],
      ['all', 'off: a_later_reason'],
      ['all', `${failing}, 40 %`],
      ['all', `${failing}, 99 %`],
      [],
    ],
  )
  const json = await chancery(['webhooks', 'list', '--json'], door.variables)
  assert.deepEqual(JSON.parse(json.output), { data })
})

test('without endpoints the list says so, and is an empty document', async t => {
  const door = await openStubDoor(t, { answer: answering(200, { data: [] }) })
  assert.equal((await chancery(['webhooks', 'list'], door.variables)).output, 'no webhook endpoints\n')
  assert.equal(door.calls[0]?.path, '/webhooks')
})

test('what a receiver answers gives the terminal no orders, as text and as JSON', async t => {
  const body = { ...added, status: 'unconfirmed', test: { ...missed, answer: hostile } }
  const door = await openStubDoor(t, { answer: answering(201, body) })
  const people = await chancery(add, door.variables)
  assert.match(people.output, /It said: \\u001b\[2J\\u001b\]0;mine\\u0007\\u009b31m\\u202eowned\n/)
  assert.doesNotMatch(people.output, orders)
  assert.doesNotMatch(people.output, /second line/)
  const { output } = await chancery([...add, '--json'], door.variables)
  assert.doesNotMatch(output, orders)
  assert.equal(JSON.parse(output).test.answer, hostile)
})

test('an answer of no Chancery is one clear line', async t => {
  const door = await openStubDoor(t, { answer: answering(200, { data: [{ ...endpoint, status: 'odd' }] }) })
  const { status, messages } = await chancery(['webhooks', 'list'], door.variables)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: the service answered without what a webhook endpoint has: .*\n$/)
})

test('a refusal that quotes a stranger gives the terminal no orders', async t => {
  const error = { code: 'bad_request', message: `No: ${hostile}`, request_id: 'req_9' }
  const door = await openStubDoor(t, { answer: answering(400, { error }) })
  const { status, messages } = await chancery(add, door.variables)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: No: /)
  assert.doesNotMatch(messages, orders)
})
