import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { outcomeLine, startStubApi } from './stub-api.ts'

/** Records the lines of facts, and returns this outcome for each batch. */
function keeping(outcome: Record<string, unknown> = {}) {
  const lines: Record<string, unknown>[] = []
  const facts = async (req: IncomingMessage, res: ServerResponse) => {
    const sent = (await text(req))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    lines.push(...sent)
    res.end(outcomeLine({ batch: sent.at(-1)?.batch, ...outcome }))
  }
  return { lines, facts }
}

const refused = {
  status: 'refused',
  refused: [{ line: 1, path: '/id', reason: 'unknown nation n5' }],
}

test('redact sends one fact in a batch of its own', async t => {
  const { lines, facts } = keeping()
  const api = await startStubApi(t, { facts })
  const set = ['nation_name=Former = nation', 'motto=null', 'attributes.creed=null', 'attributes.oath=[Old]']
  const words = ['redact', 'nation', 'n5', ...set.flatMap(text => ['--set', text])]
  const { status, output } = await api.run(words)
  assert.equal(status, 0)
  assert.match(
    output,
    /^nation n5: nation_name, motto, attributes replaced in all data .*\(batch redact-[0-9a-f-]{36}\)\n/,
  )
  const data = { nation_name: 'Former = nation', motto: null, attributes: { creed: null, oath: '[Old]' } }
  assert.deepEqual(lines[0], { op: 'redact', resource: 'nation', id: 'n5', data })
  assert.match(String(lines[1]?.batch), /^redact-/)
  assert.equal(api.calls[0]?.path, '/facts?keep=false')
  assert.equal((await api.json(words)).status, 'applied')
})

test('redact sends the texts of a list', async t => {
  const { lines, facts } = keeping()
  const api = await startStubApi(t, { facts })
  await api.run([
    'redact',
    'nation',
    'n5',
    '--set',
    'attributes.oaths=["Old", "New"]',
    '--set',
    'motto=["Old"]',
  ])
  assert.deepEqual(lines[0]?.data, { attributes: { oaths: ['Old', 'New'] }, motto: '["Old"]' })
})

test('redact reports why nothing was changed', async t => {
  const api = await startStubApi(t, { facts: keeping(refused).facts })
  const { status, output, messages } = await api.run('redact nation n5 --set motto=null')
  assert.deepEqual([status, output], [1, ''])
  assert.equal(messages, 'chancery: nothing was changed: /id unknown nation n5\n')
})

test('redact needs a field and its text', async t => {
  const api = await startStubApi(t)
  for (const words of [[], ['--set', 'motto'], ['--set', '=x'], ['--set', 'Motto=x']])
    assert.equal((await api.run(['redact', 'nation', 'n5', ...words])).status, 2, words.join(' '))
  assert.deepEqual(api.calls, [])
})

test('erase does nothing without a terminal to confirm on, unless --yes is given', async t => {
  const { lines, facts } = keeping({ events: 2 })
  const api = await startStubApi(t, { facts })
  const words = ['erase', 'p7', '--nations', 'n5,n6', '--name', 'Abandoned']
  const { status, messages } = await api.run(words, 'p7\n')
  assert.equal(status, 2)
  assert.match(messages, /pass --yes to continue/)
  assert.deepEqual(lines, [])
  const result = await api.run([...words, '--yes'])
  assert.equal(result.status, 0)
  assert.match(result.output, /^p7 is erased, with 2 nations \(batch erase-/)
  assert.deepEqual(lines[0], { op: 'erase', player: 'p7', nations: ['n5', 'n6'], name: 'Abandoned' })
})

test('erase omits options that were not given', async t => {
  const { lines, facts } = keeping()
  const api = await startStubApi(t, { facts })
  assert.equal((await api.run('erase p7 --yes --json')).status, 0)
  assert.deepEqual(lines[0], { op: 'erase', player: 'p7' })
})
