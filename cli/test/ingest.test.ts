import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { demoProfile, profileDigest } from '@chancery/contract'
import { chancery, ended, spawnChancery } from './chancery.ts'
import { outcomeLine, responding, startStubApi, statusOf, takeFacts } from './stub-api.ts'

const good = '{"op":"put"}\n{"op":"put"}\n{"op":"commit","batch":"b1"}\n'
const wrong = '{"op":"put"}\n{"op":"put","wrong":true}\n{"op":"commit","batch":"b2"}\n'

async function fileOf(t: TestContext, text: string) {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-cli-'))
  t.after(() => rm(dir, { recursive: true }))
  const path = join(dir, 'world.ndjson')
  await writeFile(path, text)
  return path
}

test('ingest counts what was applied and exits with 0', async t => {
  const api = await startStubApi(t)
  const { status, output } = await api.run(['ingest', await fileOf(t, good)])
  assert.equal(status, 0)
  assert.match(output, /^1 batch applied, 0 applied before, 0 rejected\n2 facts, 2 events in /)
})

test('a rejected batch is reported with file, line, path and reason, others are applied, and the exit status is 1', async t => {
  const api = await startStubApi(t)
  const file = await fileOf(t, wrong + good)
  const { status, output } = await api.run(['ingest', file])
  assert.equal(status, 1)
  assert.ok(output.startsWith(`${file}:2  /data/x  must be right  (batch b2)\n`), output)
  assert.match(output, /1 batch applied, 0 applied before, 1 rejected/)
})

test('line numbers are those of each file', async t => {
  const api = await startStubApi(t)
  const [first, second] = [await fileOf(t, good), await fileOf(t, wrong)]
  const { status, output } = await api.run(['ingest', '--json', first, second])
  const document = JSON.parse(output)
  assert.equal(status, 1)
  assert.equal(document.facts, 2)
  assert.equal(document.events, 2)
  assert.deepEqual(
    document.batches.map(({ batch, status, file }: Record<string, unknown>) => [batch, status, file]),
    [
      ['b1', 'applied', first],
      ['b2', 'refused', second],
    ],
  )
  assert.deepEqual(document.refused, [
    { batch: 'b2', file: second, line: 2, path: '/data/x', reason: 'must be right' },
  ])
})

for (const outcome of ['conflict', 'unavailable'])
  test(`a batch that is ${outcome} sets the exit status 1`, async t => {
    const api = await startStubApi(t)
    const facts = `{"op":"commit","batch":"b3","status":"${outcome}"}\n`
    const { status, output } = await api.run(['ingest', '--json', '-'], facts)
    assert.equal(status, 1)
    assert.equal(JSON.parse(output).refused[0].batch, 'b3')
  })

test('a duplicate batch is not a failure', async t => {
  const api = await startStubApi(t)
  const facts = '{"op":"commit","batch":"b3","status":"duplicate"}\n'
  const { status, output } = await api.run(['ingest', '-'], facts)
  assert.equal(status, 0)
  assert.match(output, /^0 batches applied, 1 applied before, 0 rejected\n0 facts, 0 events in /)
})

test('--check sends facts for validation only', async t => {
  const api = await startStubApi(t)
  const { status, output } = await api.run(['ingest', '--check', '-'], good)
  assert.equal(status, 0)
  assert.match(output, /^1 batch would be applied/)
  assert.deepEqual(api.paths(), ['/status', '/facts?check=true'])
})

for (const isSame of [true, false])
  test(`a service with ${isSame ? 'the same profile gets no' : 'another profile gets a'} warning, and the facts`, async t => {
    const profile_digest = isSame ? await profileDigest(demoProfile) : '0'.repeat(64)
    const api = await startStubApi(t, { respond: responding(200, { ...statusOf(1, 1), profile_digest }) })
    const file = await fileOf(t, JSON.stringify(demoProfile))
    const { status, messages } = await chancery(
      ['ingest', '-'],
      { ...api.variables, CHANCERY_GAME_FILE: file },
      good,
    )
    assert.equal(status, 0)
    assert.equal(
      messages.includes('warning: the service runs with another game profile than'),
      !isSame,
      messages,
    )
    assert.ok(api.paths().includes('/facts'))
  })

test('outcomes are read while facts are still being sent', async t => {
  const api = await startStubApi(t, {
    facts: (req, res) => {
      req.once('data', () => res.write(outcomeLine({ batch: 'b1' }), () => req.socket.destroySoon()))
    },
  })
  const child = spawnChancery(['ingest', '-'], api.variables)
  child.stdin?.on('error', () => {})
  child.stdin?.write(good)
  const { status, output, messages } = await ended(child)
  assert.equal(status, 1)
  assert.match(output, /^1 batch applied/)
  assert.match(messages, /^chancery: the connection to \S+ was lost .*; 1 batch was processed before/)
})

test('a large stream waits for a service that reads slowly', async t => {
  const api = await startStubApi(t, {
    facts: async (req, res) => {
      await new Promise(resolve => setTimeout(resolve, 500))
      await takeFacts(req, res)
    },
  })
  const line = `${JSON.stringify({ op: 'put', data: 'x'.repeat(500) })}\n`
  const facts = `${line.repeat(40_000)}{"op":"commit","batch":"big"}\n`
  const { status, output } = await api.run(['ingest', await fileOf(t, facts)])
  assert.equal(status, 0)
  assert.match(output, /\n40,000 facts/)
})

test('a lost connection is one clear line and exit status 1', async t => {
  const api = await startStubApi(t, { facts: req => void req.socket.destroy() })
  const { status, messages } = await api.run(['ingest', '-'], good)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: the connection to .* was lost .*: send the same again.*\n$/)
})

test('ingest ends although standard input stays open after a lost connection', async t => {
  const api = await startStubApi(t, { facts: req => void req.socket.destroy() })
  const child = spawnChancery(['ingest', '-'], api.variables)
  child.stdin?.on('error', () => {})
  child.stdin?.write(good)
  assert.equal((await ended(child)).status, 1)
})

test('ingest waits until lists show what was ingested', async t => {
  let requests = 0
  const api = await startStubApi(t, {
    respond: () => ({ status: 200, body: statusOf(5, ++requests < 4 ? 4 : 5) }),
  })
  const { status, messages } = await api.run(['ingest', '-'], good)
  assert.equal(status, 0)
  assert.equal(messages, '')
  assert.equal(requests, 4)
})

test('a service that fails after the last batch does not fail the command', async t => {
  let requests = 0
  const error = { code: 'internal_error', message: 'Gone.', request_id: 'req_2' }
  const api = await startStubApi(t, {
    respond: () => (++requests > 1 ? { status: 500, body: { error } } : undefined),
  })
  const { status, output, messages } = await api.run(['ingest', '-'], good)
  assert.equal(status, 0)
  assert.match(output, /^1 batch applied/)
  assert.match(messages, /^all facts are stored; /)
})

test('a wrong token is reported before anything is sent', async t => {
  const api = await startStubApi(t)
  const variables = { ...api.variables, CHANCERY_OPERATOR_TOKEN: 'another-operator-token' }
  const { status, messages } = await chancery(['ingest', '-'], variables, good)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: the operator token was rejected \(401\).*\n$/)
  assert.deepEqual(api.paths(), ['/status'])
})

test('a missing file is reported before another one is sent', async t => {
  const api = await startStubApi(t)
  const { status, messages } = await api.run(['ingest', await fileOf(t, good), '/nowhere'])
  assert.equal(status, 1)
  assert.equal(messages, 'chancery: /nowhere cannot be read: the file does not exist\n')
  assert.deepEqual(api.calls, [])
})

test('no service at the address is one clear line', async () => {
  const variables = { CHANCERY_OPERATOR_URL: 'http://127.0.0.1:1', CHANCERY_OPERATOR_TOKEN: 'x' }
  const { status, messages } = await chancery(['ingest', '-'], variables, good)
  assert.equal(status, 1)
  assert.match(messages, /^chancery: the service is not reachable at http:\/\/127\.0\.0\.1:1 .*\n$/)
})

test('simulated facts flow into ingest', async t => {
  const api = await startStubApi(t)
  const simulate = spawnChancery(['simulate', '--nations', '60', '--days', '2', '--seed', '4'])
  const ingest = spawnChancery(['ingest', '-', '--json'], api.variables)
  if (!simulate.stdout || !ingest.stdin) throw new Error('no pipes')
  simulate.stdout.pipe(ingest.stdin)
  const [{ status, output }] = await Promise.all([ended(ingest), once(simulate, 'exit')])
  assert.equal(status, 0)
  assert.equal(JSON.parse(output).batches.length, 3)
})
