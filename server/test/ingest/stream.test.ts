import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { pluck } from '../support/pluck.ts'
import { startTestServer } from '../support/test-server.ts'
import {
  alliance,
  commit,
  lines,
  member,
  nation,
  outcomesOf,
  rejectionOf,
  remove,
  seqOf,
  statusOf,
  stream,
} from './facts.ts'

const chancery = closeAfter(await startTestServer())

test('a line of 100 MB rejects its batch and no other', async () => {
  const part = Buffer.alloc(1_000_000, 0x61)
  async function* body() {
    yield Buffer.from(lines(nation('long-1'), commit('long-1'), nation('long-2')))
    for (let sent = 0; sent < 100; sent += 1) yield part
    yield Buffer.from(`\n${lines(commit('long-2'), nation('long-3'), commit('long-3'))}`)
  }
  const outcomes = outcomesOf(await (await stream(chancery, body())).text())
  assert.deepEqual(pluck(outcomes, 'status'), ['applied', 'refused', 'applied'])
  assert.deepEqual(outcomes[1]?.refused, [
    { line: 4, path: '', reason: 'the line is longer than 1048576 bytes' },
  ])
})

test('a line of exactly 1 MiB is read, one byte more is rejected', async () => {
  const ofLength = (length: number) => {
    const text = JSON.stringify(nation('mib'))
    return `${text}${' '.repeat(length - text.length)}\n`
  }
  const outcomes = await chancery.send(
    ofLength(1_048_576) + lines(commit('mib-1')) + ofLength(1_048_577) + lines(commit('mib-2')),
  )
  assert.deepEqual(pluck(outcomes, 'status'), ['applied', 'refused'])
})

test('CRLF, blank lines and spaces around a fact are ignored', async () => {
  const text = `\r\n\n  \t\n  ${lines(nation('crlf')).trim()}  \r\n\r\n${lines(commit('crlf')).trim()}\r\n\r\n`
  const [outcome, ...more] = await chancery.send(text)
  assert.deepEqual([outcome?.status, outcome?.facts, more.length], ['applied', 1, 0])
  const [again] = await chancery.send(lines(nation('crlf'), commit('crlf')))
  assert.equal(again?.status, 'duplicate')
})

test('the last line needs no line feed', async () => {
  const [outcome] = await chancery.send(lines(nation('no-feed'), commit('no-feed')).trimEnd())
  assert.equal(outcome?.status, 'applied')
})

test('an empty stream has no outcome', async () => {
  assert.deepEqual(await chancery.send('\n\r\n'), [])
})

test('facts behind the last commit are rejected', async () => {
  const [one, rest, ...more] = await chancery.send(
    lines(nation('open-1'), commit('open-1'), nation('open-2')),
  )
  assert.deepEqual([one?.status, more.length], ['applied', 0])
  assert.equal(rest?.batch, null)
  assert.equal(rejectionOf(rest).line, 3)
  assert.match(rejectionOf(rest).reason, /ended before this batch was committed/)
  assert.equal(await statusOf(chancery, '/nations/open-2'), 404)
})

for (const { name, line, path } of [
  { name: 'without a batch id', line: { op: 'commit' }, path: '/batch' },
  { name: 'with a batch id that is not a string', line: { op: 'commit', batch: 7 }, path: '/batch' },
  { name: 'with a batch id of invalid characters', line: { op: 'commit', batch: 'a b' }, path: '/batch' },
  { name: 'with an unknown field', line: { ...commit('commit-x'), force: true }, path: '/force' },
  {
    name: 'with an announce that is no boolean',
    line: commit('commit-x', { announce: 'no' }),
    path: '/announce',
  },
]) {
  test(`a commit ${name} rejects its batch, and not the next one`, async () => {
    const id = `commit-${name.replaceAll(' ', '-')}`
    const outcomes = await chancery.send(lines(nation(`${id}-1`), line, nation(`${id}-2`), commit(`${id}-2`)))
    assert.deepEqual(pluck(outcomes, 'status'), ['refused', 'applied'])
    assert.deepEqual([rejectionOf(outcomes[0]).line, rejectionOf(outcomes[0]).path], [2, path])
    assert.deepEqual(
      await Promise.all([statusOf(chancery, `/nations/${id}-1`), statusOf(chancery, `/nations/${id}-2`)]),
      [404, 200],
    )
  })
}

test('an empty batch is applied, once', async () => {
  const outcomes = await chancery.send(lines(commit('empty'), commit('empty')))
  assert.deepEqual(pluck(outcomes, 'status', 'facts', 'events'), [
    ['applied', 0, 0],
    ['duplicate', 0, 0],
  ])
})

test('a batch sent again is a duplicate with the first result, and is applied once', async () => {
  const text = lines(nation('twice'), alliance('twice'), member('twice', 'twice'), commit('twice'))
  const [first] = await chancery.send(text)
  const before = await seqOf(chancery)
  const [second] = await chancery.send(text)
  assert.deepEqual([first?.status, second?.status], ['applied', 'duplicate'])
  assert.deepEqual({ ...second, status: '' }, { ...first, status: '' })
  assert.equal(await seqOf(chancery), before)
})

test('another batch under a known id is a conflict and changes nothing', async () => {
  await chancery.send(lines(nation('other'), commit('other')))
  const before = await seqOf(chancery)
  for (const text of [
    lines(nation('other', { motto: 'new' }), commit('other')),
    lines(nation('other'), nation('other-2'), commit('other')),
    lines(nation('other'), commit('other', { announce: false })),
    lines(commit('other')),
  ]) {
    const [outcome] = await chancery.send(text)
    assert.equal(outcome?.status, 'conflict')
    assert.equal(outcome?.refused[0]?.path, '/batch')
    assert.match(outcome?.refused[0]?.reason ?? '', /another batch/)
  }
  assert.equal(await seqOf(chancery), before)
  const { data } = await chancery.read<{ data: { motto: unknown } }>('/nations/other')
  assert.equal(data.motto, null)
})

test('a rejected batch leaves its id free', async () => {
  const outcomes = await chancery.send(
    lines(nation('free', { rank: 1 }), commit('free'), nation('free'), commit('free')),
  )
  assert.deepEqual(pluck(outcomes, 'status'), ['refused', 'applied'])
})

test('the first hundred invalid facts of a batch are reported', async () => {
  const wrong = Array.from({ length: 150 }, (_, index) => nation(`many-${index}`, { rank: 1 }))
  const [outcome] = await chancery.send(lines(...wrong, commit('many')))
  assert.deepEqual(
    outcome?.refused.map(({ line }) => line),
    Array.from({ length: 100 }, (_, index) => index + 1),
  )
  const members = Array.from({ length: 150 }, (_, index) => member(`none-${index}`, 'many'))
  const [second] = await chancery.send(lines(alliance('many'), ...members, commit('many')))
  assert.deepEqual(
    second?.refused.map(({ line }) => line),
    Array.from({ length: 100 }, (_, index) => index + 2),
  )
})

test('the deletion of an unknown entity is accepted', async () => {
  const [outcome] = await chancery.send(lines(remove('nation', 'never'), commit('never')))
  assert.deepEqual([outcome?.status, outcome?.events], ['applied', 0])
})

test('text of every kind is returned as it was sent', async () => {
  const motto = 'Ünïcödé \u2028 \u2029 \ufeff 😀 "quotes" \\ \t \u0001 %_ </script>'
  await chancery.ingest([nation('text', { motto })], { waits: false })
  const { data } = await chancery.read<{ data: { motto: string } }>('/nations/text')
  assert.equal(data.motto, motto)
})

test('an aborted stream stores nothing of its open batch, and the next connection works', async () => {
  const cut = new AbortController()
  const { promise: isReceived, resolve: received } = Promise.withResolvers<void>()
  async function* body() {
    yield Buffer.from(lines(nation('cut-1'), commit('cut-1'), nation('cut-2'), alliance('cut-2')))
    await isReceived
    yield Buffer.from('{"op":"put","resour')
    cut.abort()
    await new Promise(() => undefined)
  }
  const response = await stream(chancery, body(), { signal: cut.signal })
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  assert.equal(outcomesOf(Buffer.from(value ?? []).toString())[0]?.status, 'applied')
  received()
  await assert.rejects(async () => reader?.read())
  const [next] = await chancery.send(lines(nation('cut-3'), commit('cut-2')))
  assert.equal(next?.status, 'applied')
  const found = await Promise.all(['cut-1', 'cut-2', 'cut-3'].map(id => statusOf(chancery, `/nations/${id}`)))
  assert.deepEqual(found, [200, 404, 200])
  assert.equal(await statusOf(chancery, '/alliances/cut-2'), 404)
})

test('each batch is acknowledged as soon as it is durable, not when the stream ends', async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>()
  async function* body() {
    yield Buffer.from(lines(nation('soon-1'), commit('soon-1')))
    await isRead
    yield Buffer.from(lines(nation('soon-2'), commit('soon-2')))
  }
  const response = await stream(chancery, body())
  let text = ''
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString()
    if (!text.includes('soon-2')) assert.equal(await statusOf(chancery, '/nations/soon-1'), 200)
    read()
  }
  assert.deepEqual(pluck(outcomesOf(text), 'batch'), ['soon-1', 'soon-2'])
})

test('two streams at once are both applied whole, in the order of each', async () => {
  const batches = (name: string) =>
    Array.from({ length: 20 }, (_, index) =>
      lines(
        nation(`${name}-${index}`),
        nation(`${name}-shared`, { city_count: index }),
        commit(`${name}-${index}`),
      ),
    ).join('')
  const before = await seqOf(chancery)
  const [one = [], other = []] = await Promise.all(
    ['left', 'right'].map(name => chancery.send(batches(name))),
  )
  for (const outcomes of [one, other]) {
    assert.deepEqual([...new Set(outcomes.map(({ status }) => status))], ['applied'])
    const numbers = outcomes.map(({ last_seq }) => last_seq ?? 0)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
  }
  assert.equal(await seqOf(chancery), before + 42)
  for (const name of ['left', 'right']) {
    const { data } = await chancery.read<{ data: { city_count: number } }>(`/nations/${name}-shared`)
    assert.equal(data.city_count, 19)
  }
})

test('the same batch on two streams at once is applied once', async () => {
  const text = lines(nation('race'), commit('race'))
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => chancery.send(text)))
  assert.deepEqual(outcomes.map(([outcome]) => outcome?.status).sort(), [
    'applied',
    'duplicate',
    'duplicate',
    'duplicate',
  ])
})
