import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from '../src/command-line.ts'
import { chancery, chanceryProcess, spawnChancery } from './chancery.ts'
import { responding, startStubApi } from './stub-api.ts'

const wrong = [
  '',
  'unknown',
  'keys',
  'ingest',
  'ingest - -',
  'ingest - --unknown',
  'simulate --nations many',
  'simulate --ends-at yesterday',
  'demo --nations 3',
  'demo --tick-seconds -1',
  'keys create --name x',
  'keys create --nation n1',
  'keys create --nation n1 --player p1 --name x',
  'keys create --nation n1 --name x --scopes everything',
  'keys create --nation n1 --name x --limit 0',
  'keys set-limit key_1 lots',
  'codes issue',
  'webhooks',
  'webhooks add --nation n1',
  'webhooks add --url https://x.example/',
  'webhooks add --nation n1 --player p1 --url https://x.example/',
  'webhooks add --nation n1 --url https://x.example/ --types war.*,',
  'webhooks list --nation n1 --player p1',
  'webhooks test',
  'webhooks log whe_1 --limit 101',
  'webhooks log whe_1 --state lost',
  'webhooks replay whe_1',
  'webhooks replay whe_1 dlv_1 --failed',
  'webhooks replay whe_1 --failed --since 2026-03-01',
  'webhooks replay whe_1 --failed --until 2026-03-01',
  'webhooks replay whe_1 dlv_1 --until 2026-03-01',
  'webhooks replay whe_1 --until 2026-03-01',
  'webhooks replay whe_1 --since yesterday',
  'webhooks replay whe_1 --since 2026-03-02 --until 2026-03-01',
  'webhooks replay whe_1 --since 9999-01-01',
  'players suspend',
  'profile',
  'profile check',
  'profile check one.json two.json',
  'players resume',
  'tokens',
  'tokens create --name x',
  'tokens create --name x --roles everything',
  'tokens create --name x --roles facts,',
  'tokens rotate tok_1 --overlap-hours 169',
  'tokens revoke',
  'tokens log --limit 0',
  'refused',
  'refused show',
  'refused list --limit 1001',
  'refused retry',
  'pull --every often',
  ['pull', '--name', 'a b'],
  'pull --schema x.y',
  'pull everything',
  'pull sql nations',
  'outbox',
  ['outbox', 'drain', '--name', ''],
  'handover',
  'handover --nation n1 --player p1',
  'handover --nation n1 --landing elsewhere',
  'request',
  'request req_1 req_2',
  'keys top --hours 169',
  'keys top --limit 0',
  'addresses',
  'addresses top --hours 48',
  'addresses top --hours x',
]

for (const words of wrong)
  test(`wrong usage exits with 2, prints no result and sends nothing: ${[words].flat().join(' ') || '(nothing)'}`, async t => {
    const api = await startStubApi(t)
    const { status, output, messages } = await api.run(words || [])
    assert.deepEqual([status, output, api.calls], [2, '', []])
    assert.notEqual(messages, '')
  })

/** The full name of each command that can be run, and of the program. */
function commandNames({ commands }: Command, parent = ''): string[] {
  return commands.flatMap(command => {
    const name = `${parent} ${command.name()}`.trim()
    const isGroup = command.commands.length > 0 && name !== 'pull'
    return [...(isGroup ? [] : [name]), ...commandNames(command, name)]
  })
}

const terminal = { env: {}, input: process.stdin, output: process.stdout, messages: process.stderr }
for (const command of ['', ...commandNames(await createProgram([], terminal))])
  test(`--help shows examples: ${command || 'chancery'}`, async () => {
    const words = command === '' ? [] : command.split(' ')
    const { status, output } = await chancery([...words, '--help'])
    assert.equal(status, 0)
    assert.match(output, new RegExp(`Examples:\\n(.*\\n)*.*chancery ${command}`))
  })

for (const [command, status, code, message] of [
  ['codes issue --nation n9', 404, 'not_found', 'There is no such nation.'],
  ['refused retry turn-8818', 409, 'conflict', 'Later facts have changed it.'],
  ['request req_1', 404, 'not_found', 'There is no such request with this id in the request log.'],
  ['players resume p7', 404, 'not_found', 'There is no such suspension.'],
  ['tokens list', 403, 'insufficient_role', 'The token prometheus lacks the role admin.'],
] as const)
  test(`an error of the service is one line with its request id, and exit status 1: ${command}`, async t => {
    const error = { code, message, request_id: 'req_9' }
    const api = await startStubApi(t, { respond: responding(status, { error }) })
    const messages = `chancery: ${message} (${code}, request req_9)\n`
    assert.deepEqual(await api.run(command), { status: 1, output: '', messages })
  })

for (const [command, text] of [
  ['keys list', 'no keys'],
  ['keys top', 'no requests with a key'],
  ['keys requests', 'no pending requests'],
  ['keys calls key_1', 'no requests with this key'],
  ['players list', 'no players'],
  ['addresses top', 'no requests without a valid key'],
  ['addresses list', 'no limits of addresses'],
  ['webhooks list', 'no webhook endpoints'],
  ['webhooks log whe_1', 'no deliveries'],
  ['webhooks log whe_1 --state failed', 'no deliveries in this state'],
  ['tokens list', 'no named tokens (the admin token is not listed)'],
  ['tokens log', 'the audit log is empty'],
] as const)
  test(`an empty list is reported as such: ${command}`, async t => {
    const api = await startStubApi(t, { respond: responding(200, { data: [] }) })
    assert.deepEqual(await api.run(command), { status: 0, output: `${text}\n`, messages: '' })
    assert.deepEqual(await api.json(command), { data: [] })
  })

test('the process exits with the status of its command, and writes messages to standard error', async () => {
  const missing = ['profile', 'check', '/nowhere/game.json']
  for (const [words, expected] of [
    [['--help'], 0],
    [missing, 1],
    [['unknown'], 2],
  ] as const) {
    const { status, output, messages } = await chanceryProcess([...words])
    assert.deepEqual([status, output !== '', messages !== ''], [expected, expected === 0, expected !== 0])
  }
})

test('simulate produces the same facts for the same seed and end', async () => {
  const words = 'simulate --nations 60 --days 2 --seed 4 --ends-at 2026-03-01'.split(' ')
  const [one, other] = await Promise.all([chancery(words), chanceryProcess(words)])
  assert.equal(one.status, 0)
  assert.equal(one.messages, '')
  assert.match(one.output, /"op":"commit".*\n$/)
  assert.equal(one.output, other.output)
})

test('simulate reports the end of the history if it was not given', async () => {
  const { output, messages } = await chancery('simulate --nations 60 --days 0'.split(' '))
  const again = /--ends-at (\S+)/.exec(messages)?.[1] ?? ''
  const repeated = await chancery(['simulate', '--nations', '60', '--days', '0', '--ends-at', again])
  assert.equal(repeated.output, output)
})

test('a reader that stops early is not a failure', async () => {
  const child = spawnChancery('simulate --nations 3000 --days 5 --seed 1'.split(' '))
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('no pipes')
  stdout.once('data', () => stdout.destroy())
  const [messages, [status]] = await Promise.all([text(stderr), once(child, 'exit')])
  assert.equal(status, 0)
  assert.doesNotMatch(messages, /EPIPE|Error/)
})

test('an invalid profile is reported with its problem', async () => {
  const { status, messages } = await chancery(['simulate', '--profile', import.meta.filename])
  assert.equal(status, 1)
  assert.match(messages, /^.*\nchancery: .*: not valid JSON: .*\n$/)
})

test('an invalid variable is reported by name, without a stack', async () => {
  const { status, messages } = await chanceryProcess(['serve'], { CHANCERY_PORT: 'x' })
  assert.equal(status, 1)
  assert.match(messages, /^chancery: CHANCERY_PORT must be .*\n$/)
})

test('an unreachable database is reported by its variable, without a stack and a password', async () => {
  const unreachable = { CHANCERY_DATABASE_URL: 'postgres://operator:a-password@127.0.0.1:1/world' }
  const { status, messages } = await chancery(['backup', '-'], unreachable)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: CHANCERY_DATABASE_URL: PostgreSQL at 127.0.0.1:1.* cannot be used .*\n$/)
  assert.doesNotMatch(messages, /a-password/)
})
