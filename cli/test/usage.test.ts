import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { chancery, chanceryProcess, spawnChancery } from './chancery.ts'

const wrong = [
  [],
  ['unknown'],
  ['keys'],
  ['ingest'],
  ['ingest', '-', '-'],
  ['ingest', '-', '--unknown'],
  ['simulate', '--nations', 'many'],
  ['simulate', '--ends-at', 'yesterday'],
  ['demo', '--nations', '3'],
  ['demo', '--tick-seconds', '-1'],
  ['keys', 'create', '--name', 'x'],
  ['keys', 'create', '--nation', 'n1'],
  ['keys', 'create', '--nation', 'n1', '--player', 'p1', '--name', 'x'],
  ['keys', 'create', '--nation', 'n1', '--name', 'x', '--scopes', 'everything'],
  ['keys', 'create', '--nation', 'n1', '--name', 'x', '--limit', '0'],
  ['keys', 'set-limit', 'key_1', 'lots'],
  ['codes', 'issue'],
  ['webhooks'],
  ['webhooks', 'add', '--nation', 'n1'],
  ['webhooks', 'add', '--url', 'https://x.example/'],
  ['webhooks', 'add', '--nation', 'n1', '--player', 'p1', '--url', 'https://x.example/'],
  ['webhooks', 'add', '--nation', 'n1', '--url', 'https://x.example/', '--types', 'war.*,'],
  ['webhooks', 'list', '--nation', 'n1', '--player', 'p1'],
  ['webhooks', 'test'],
  ['webhooks', 'log', 'whe_1', '--limit', '101'],
  ['webhooks', 'log', 'whe_1', '--state', 'lost'],
  ['webhooks', 'replay', 'whe_1'],
  ['webhooks', 'replay', 'whe_1', 'dlv_1', '--failed'],
  ['webhooks', 'replay', 'whe_1', '--failed', '--since', '2026-03-01'],
  ['webhooks', 'replay', 'whe_1', '--failed', '--until', '2026-03-01'],
  ['webhooks', 'replay', 'whe_1', 'dlv_1', '--until', '2026-03-01'],
  ['webhooks', 'replay', 'whe_1', '--until', '2026-03-01'],
  ['webhooks', 'replay', 'whe_1', '--since', 'yesterday'],
  ['webhooks', 'replay', 'whe_1', '--since', '2026-03-02', '--until', '2026-03-01'],
  ['webhooks', 'replay', 'whe_1', '--since', '9999-01-01'],
  ['players', 'suspend'],
  ['profile'],
  ['profile', 'check'],
  ['profile', 'check', 'one.json', 'two.json'],
  ['players', 'resume'],
  ['tokens'],
  ['tokens', 'create', '--name', 'x'],
  ['tokens', 'create', '--name', 'x', '--roles', 'everything'],
  ['tokens', 'create', '--name', 'x', '--roles', 'facts,'],
  ['tokens', 'rotate', 'tok_1', '--overlap-hours', '169'],
  ['tokens', 'revoke'],
  ['tokens', 'log', '--limit', '0'],
  ['refused'],
  ['refused', 'show'],
  ['refused', 'list', '--limit', '1001'],
  ['refused', 'retry'],
]

for (const words of wrong)
  test(`wrong usage exits with 2 and prints no result: ${words.join(' ') || '(nothing)'}`, async () => {
    const { status, output, messages } = await chancery(words)
    assert.equal(status, 2)
    assert.equal(output, '')
    assert.notEqual(messages, '')
  })

const commands = [
  '',
  'demo',
  'serve',
  'migrate',
  'ingest',
  'simulate',
  'keys create',
  'keys list',
  'keys revoke',
  'keys set-limit',
  'codes issue',
  'webhooks add',
  'webhooks list',
  'webhooks test',
  'webhooks enable',
  'webhooks disable',
  'webhooks remove',
  'webhooks rotate',
  'webhooks log',
  'webhooks replay',
  'players suspend',
  'players resume',
  'tokens create',
  'tokens list',
  'tokens rotate',
  'tokens revoke',
  'tokens log',
  'refused list',
  'refused show',
  'refused retry',
  'refused drop',
  'profile check',
  'profile example',
  'profile schema',
]

for (const command of commands)
  test(`--help shows examples: ${command || 'chancery'}`, async () => {
    const words = command === '' ? [] : command.split(' ')
    const { status, output } = await chancery([...words, '--help'])
    assert.equal(status, 0)
    assert.match(output, new RegExp(`Examples:\\n(.*\\n)*.*chancery ${command}`))
  })

test('the process exits with the status of its command, and keeps its messages apart', async () => {
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

test('a reader that stops early is no failure', async () => {
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
  assert.match(messages, /^chancery: CHANCERY_PORT: .*\n$/)
})

test('an unreachable database is reported by its variable, without a stack and a password', async () => {
  const away = { CHANCERY_DATABASE_URL: 'postgres://somebody:a-password@127.0.0.1:1/world' }
  const { status, messages } = await chancery(['backup', '-'], away)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: CHANCERY_DATABASE_URL: PostgreSQL at 127.0.0.1:1.* cannot be used .*\n$/)
  assert.doesNotMatch(messages, /a-password/)
})
