import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import type { TestDatabase } from '../../server/test/support/database.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { useTestDatabase } from '../../server/test/support/fixture.ts'
import { chanceryProcess, serveVariables, whileServed } from './chancery.ts'

// The database of the service, and two to restore to.
let dir: string
const [first, second, third] = [useTestDatabase(), useTestDatabase(), useTestDatabase()]
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-cli-external-'))
})
after(() => rm(dir, { recursive: true, force: true }))

const variablesFor = ({ url }: TestDatabase, name: string) =>
  serveVariables(join(dir, name), { CHANCERY_DATABASE_URL: url })

const lines = (...batches: [string, object][]) =>
  batches
    .flatMap(([batch, data]) => [
      { op: 'put', resource: 'nation', data },
      { op: 'commit', batch },
    ])
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')

/** The newest event of the log. */
async function newest(publicUrl: string): Promise<{ seq: number; summary: string }> {
  const response = await fetch(`${publicUrl}/api/v1/events?limit=1`)
  const { data } = (await response.json()) as { data: { seq: number; summary: string }[] }
  return data[0] ?? assert.fail('the log is empty')
}

const file = () => join(dir, 'world.chancery.gz')

test('a world is moved from one PostgreSQL to another while its service runs', async () => {
  const variables = variablesFor(first, 'first')
  await whileServed(variables, async () => {
    const result = await chanceryProcess(
      ['ingest', '-'],
      variables,
      lines(['b1', { id: 'n1', nation_name: 'One' }]),
    )
    assert.equal(result.status, 0, result.messages)
    const taken = await chanceryProcess(['backup', file()], variables)
    assert.equal(taken.status, 0, taken.messages)
    const refused = await chanceryProcess(['restore', '--replace', file()], variables)
    assert.equal(refused.status, 1, 'a service runs on it')
  })
  const target = variablesFor(second, 'second')
  const restored = await chanceryProcess(['restore', '--replace', file()], target)
  assert.equal(restored.status, 0, restored.messages)
  await whileServed(target, async url => assert.match((await newest(url)).summary, /One/))
})

/** Why pg_dump cannot be used, or undefined. It reads servers of its own version and older ones. */
async function whyNoDump(): Promise<string | undefined> {
  const { error, stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  if (error) return 'pg_dump is not installed'
  const server = await withConnection(first.url, async client =>
    Number((await client.query('show server_version_num')).rows[0].server_version_num),
  )
  const tools = Number(/\d+/.exec(stdout)?.[0])
  return tools < Math.floor(server / 10_000) ? `pg_dump ${tools} is older than the server` : undefined
}

test('a world that was restored by pg_restore never reuses an event number', async (t: TestContext) => {
  const why = await whyNoDump()
  if (why !== undefined) return t.skip(why)
  const dump = join(dir, 'world.dump')
  const run = (program: string, ...words: string[]) => {
    const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  run('pg_dump', '--format=custom', `--file=${dump}`, first.url)
  // Event numbers after the dump that a reader has seen.
  const variables = variablesFor(first, 'first')
  let seen = 0
  await whileServed(variables, async url => {
    await chanceryProcess(['ingest', '-'], variables, lines(['b2', { id: 'n2', nation_name: 'Lost' }]))
    ;({ seq: seen } = await newest(url))
  })
  run('pg_restore', '--clean', '--if-exists', '--exit-on-error', `--dbname=${third.url}`, dump)
  const target = variablesFor(third, 'third')
  const continued = await chanceryProcess(['restore', '--finish-only', '--json'], target)
  assert.equal(continued.status, 0, continued.messages)
  assert.ok(JSON.parse(continued.output).next_seq > seen)
  await whileServed(target, async url => {
    assert.match((await newest(url)).summary, /One/)
    const result = await chanceryProcess(
      ['ingest', '-'],
      target,
      lines(['b3', { id: 'n3', nation_name: 'Three' }]),
    )
    assert.equal(result.status, 0, result.messages)
    const { seq, summary } = await newest(url)
    assert.match(summary, /Three/)
    assert.ok(seq > seen)
  })
})
