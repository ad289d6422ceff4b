import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readlinkSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { removeTemporaryLeftovers, Spool } from '../../src/ingest/spool.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { alliance, commit, lines, member, nation, outcomesOf, put, statusOf, stream, war } from './facts.ts'

let chancery: TestServer
let temporary: string
const temporaryBefore = process.env.TMPDIR
before(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'chancery-large-'))
  chancery = await startTestServer()
  process.env.TMPDIR = temporary
})
after(async () => {
  // Other files may share this process.
  if (temporaryBefore === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = temporaryBefore
  await chancery.close()
  await rm(temporary, { recursive: true, force: true })
})

const isLinux = process.platform === 'linux'

/** The open files of waiting batches, which have no name any more. */
function spooled(): string[] {
  return readdirSync('/proc/self/fd').flatMap(fd => {
    const path = join('/proc/self/fd', fd)
    try {
      return readlinkSync(path).startsWith(`${temporary}/`) ? [path] : []
    } catch {
      // Closed since it was listed.
      return []
    }
  })
}

// Line separators are text like any other.
const motto = `\u2028 and \u2029${'m'.repeat(290)}`
// Some megabytes more than are buffered in memory: many small facts, or fewer large ones.
const nations = tier === 'quick' ? 3_000 : 35_000
const wars = nations / 10
const notes = motto.repeat(tier === 'quick' ? 24 : 2)

function* facts(): Generator<Fact> {
  for (let index = 0; index < 50; index += 1) yield alliance(`a${index}`)
  for (let index = 0; index < nations; index += 1) {
    yield nation(`n${index}`, { motto, national_score: (index * 7) % 1000, moderation_notes: notes })
    if (index % 3 === 0) yield member(`n${index}`, `a${index % 50}`)
  }
  for (let index = 0; index < wars; index += 1) yield war(`w${index}`, `n${index}`, `n${index + 1}`)
  yield put('nation', { id: 'n0', motto: 'the last word' })
}

test('a large batch is buffered in unnamed files, of which a killed process leaves nothing, and is applied', {
  skip: !isLinux,
}, async () => {
  const all = [...facts()]
  const { promise: isInspected, resolve: inspected } = Promise.withResolvers<void>()
  async function* body() {
    for (let start = 0; start < all.length; start += 500)
      yield Buffer.from(lines(...all.slice(start, start + 500)))
    await isInspected
    yield Buffer.from(lines(commit('large')))
  }
  const response = stream(chancery, body()).then(response => response.text())
  while (spooled().length < 2) await new Promise(resolve => setImmediate(resolve))
  for (const path of spooled()) assert.equal(statSync(path).mode & 0o077, 0)
  await until(() => readdirSync(temporary).length === 0, 'the newest file has no name either')
  inspected()
  const [outcome] = outcomesOf(await response)
  assert.deepEqual(
    [outcome?.status, outcome?.facts, outcome?.events],
    ['applied', all.length, 50 + nations + Math.ceil(nations / 3) + wars],
  )
  assert.deepEqual(spooled(), [])

  const { data: last } = await chancery.read<{ data: { motto: string } }>(`/nations/n${nations - 1}`)
  assert.equal(last.motto, motto)
  const { data: first } = await chancery.read<{ data: { motto: string } }>('/nations/n0')
  assert.equal(first.motto, 'the last word')
  const { data: some } = await chancery.read<{ data: { member_count: number; total_score: number } }>(
    '/alliances/a0',
  )
  const members = Array.from({ length: nations }, (_, index) => index).filter(
    index => index % 3 === 0 && index % 50 === 0,
  )
  assert.equal(some.member_count, members.length)
  assert.equal(
    some.total_score,
    members.reduce((sum, index) => sum + ((index * 7) % 1000), 0),
  )
})

test('a large batch that is rejected, or cut off, leaves no file open', { skip: !isLinux }, async () => {
  const many = Array.from({ length: nations }, (_, index) => nation(`x${index}`, { moderation_notes: notes }))
  const [rejected] = await chancery.send(lines(...many, member('none', 'a0'), commit('large-2')))
  assert.deepEqual(rejected?.refused, [
    { line: nations + 1, path: '/data/nation_id', reason: 'there is no nation none' },
  ])
  assert.deepEqual(spooled(), [])

  const cut = new AbortController()
  async function* body() {
    yield Buffer.from(lines(...many))
    while (spooled().length === 0) await new Promise(resolve => setImmediate(resolve))
    cut.abort()
    await new Promise(() => undefined)
  }
  await assert.rejects(stream(chancery, body(), { signal: cut.signal }))
  while (spooled().length > 0) await new Promise(resolve => setImmediate(resolve))
  assert.equal(await statusOf(chancery, '/nations/x0'), 404)
})

test('a start removes the files that killed processes left, and none of a process that may still run', async () => {
  const folder = (name: string, isOld: boolean) => {
    mkdirSync(join(temporary, name))
    writeFileSync(join(temporary, name, 'nation'), '{}')
    if (isOld) utimesSync(join(temporary, name), 0, 0)
  }
  folder('chancery-spool-aaaaaa', true)
  folder('chancery-check-bbbbbb', true)
  folder('chancery-spool-cccccc', false)
  folder('chancery-of-others', true)
  writeFileSync(join(temporary, 'chancery-facts-1'), '{}')
  await removeTemporaryLeftovers()
  assert.deepEqual(readdirSync(temporary).sort(), ['chancery-of-others', 'chancery-spool-cccccc'])
})

test('many deletions of one batch are not buffered in memory', { skip: !isLinux }, async () => {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  const heap = () => {
    gc()
    return process.memoryUsage().heapUsed
  }
  const spool = new Spool()
  const before = heap()
  const count = 200_000
  for (let line = 1; line <= count; line += 1) {
    const change = { line, op: 'delete' as const, key: `n${line}`, data: {}, at: undefined }
    await spool.add({ op: 'change', resource: 'nation', change }, '{}')
  }
  const grown = heap() - before
  assert.ok(grown < 30 * 1_048_576, `${Math.round(grown / 1_048_576)} MB wait in memory`)
  let found = 0
  for await (const deletes of spool.close({ batch: 'b' }).deletes('nation')) found += deletes.length
  assert.equal(found, count)
  await spool.clear()
  assert.deepEqual(spooled(), [])
})
