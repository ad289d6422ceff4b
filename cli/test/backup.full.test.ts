import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { chanceryProcess, serveVariables, whileServed } from './chancery.ts'

/** Data directories and backup files of this test. */
let dir: string
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-cli-backup-'))
  await chmod(dir, 0o711)
})
after(() => rm(dir, { recursive: true, force: true, maxRetries: 20 }))

const variablesFor = (name: string) => serveVariables(join(dir, name))

const facts = [
  { op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'One', player: 'p1' } },
  { op: 'commit', batch: 'b1' },
]
const namesAt = async (publicUrl: string) => {
  const response = await fetch(`${publicUrl}/api/v1/nations`)
  const { data } = (await response.json()) as { data: { nation_name: string }[] }
  return data.map(({ nation_name }) => nation_name)
}

test('a world is backed up from a bundled database, running and stopped, and restored to another', async () => {
  const file = join(dir, 'running.chancery.gz')
  const offline = join(dir, 'offline.chancery.gz')
  let key = ''
  for (const left of [file, `${file}.part`]) await writeFile(left, 'left', { mode: 0o644 })
  await whileServed(variablesFor('first'), async () => {
    const input = facts.map(fact => `${JSON.stringify(fact)}\n`).join('')
    assert.equal((await chanceryProcess(['ingest', '-'], variablesFor('first'), input)).status, 0)
    const made = await chanceryProcess(
      ['keys', 'create', '--nation', 'n1', '--name', 'bot', '--scopes', 'nation.read', '--json'],
      variablesFor('first'),
    )
    key = JSON.parse(made.output).key
    const { status, output, messages } = await chanceryProcess(
      ['backup', file, '--json'],
      variablesFor('first'),
    )
    assert.equal(status, 0, messages)
    const document = JSON.parse(output)
    assert.equal(document.bytes, (await stat(file)).size)
    assert.equal(document.seq, 1)
    assert.equal((await stat(file)).mode & 0o777, 0o600, 'although the leftover was readable by others')
    const refused = await chanceryProcess(['restore', '--replace', file], variablesFor('first'))
    assert.equal(refused.status, 1)
    assert.match(refused.messages, /another process of the service uses/)
  })
  const { status, messages } = await chanceryProcess(['backup', offline], variablesFor('first'))
  assert.equal(status, 0, messages)
  assert.deepEqual(
    (await readdir(dir)).filter(name => name.includes('.part')),
    [],
  )

  const restored = await chanceryProcess(['restore', file, '--json'], variablesFor('second'))
  assert.equal(restored.status, 0, restored.messages)
  const { next_seq: next, redactions } = JSON.parse(restored.output)
  assert.ok(next > 1_000_000_000_000)
  assert.deepEqual(redactions, { applied: 0, refused: [] })
  await whileServed(variablesFor('second'), async publicUrl => {
    for (let attempt = 0; (await namesAt(publicUrl)).length === 0; attempt += 1) {
      assert.ok(attempt < 100, 'lists stay empty')
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    assert.deepEqual(await namesAt(publicUrl), ['One'])
    const own = await fetch(`${publicUrl}/api/v1/me/nation`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(own.status, 200)
  })

  const again = await chanceryProcess(['restore', offline], variablesFor('second'))
  assert.equal(again.status, 1)
  assert.match(again.messages, /this database is not empty/)
  const bytes = await readFile(offline)
  const { status: code, output } = await chanceryProcess(
    ['restore', '--replace', '-'],
    variablesFor('second'),
    bytes,
  )
  assert.equal(code, 0)
  assert.match(
    output,
    /^restored a backup taken \d{4}-.*\nthe event log continues at \d{13}\n0 redactions applied again\n$/,
  )
  const finished = await chanceryProcess(['restore', '--finish-only'], variablesFor('second'))
  assert.equal(finished.status, 0, finished.messages)
})

test('a damaged backup is rejected with one line, and changes nothing', async () => {
  const file = join(dir, 'cut.chancery.gz')
  await writeFile(file, await readFile(join(dir, 'running.chancery.gz')))
  await truncate(file, (await stat(file)).size - 20)
  const { status, messages } = await chanceryProcess(['restore', '--replace', file], variablesFor('second'))
  assert.equal(status, 1)
  assert.match(messages, /^chancery: the backup is damaged or cut off .*\n$/)
  await whileServed(variablesFor('second'), async publicUrl => {
    assert.equal((await fetch(`${publicUrl}/api/v1/nations/n1`)).status, 200)
  })
})

test('wrong usage is reported', async () => {
  const variables = variablesFor('none')
  const cases: [string[], number, RegExp][] = [
    [['restore'], 2, /give either a backup file, or --finish-only/],
    [['restore', '--finish-only', '--replace'], 2, /--finish-only cannot be combined with --replace/],
    [['restore', join(dir, 'missing')], 1, /cannot be read/],
    [['backup', join(dir, 'x')], 1, /there is no database in/],
    [['backup', join(dir, 'no', 'x')], 1, /there is no database in/],
  ]
  for (const [words, status, message] of cases) {
    const { status: code, messages } = await chanceryProcess(words, variables)
    assert.equal(code, status, messages)
    assert.match(messages, message)
  }
})
