import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { createGame, smallGame } from '../../connect/test/game.ts'
import { prepare, useFixture, useTestServer } from '../../server/test/support/fixture.ts'
import { chancery, chanceryProcess, ended, spawnChancery } from './chancery.ts'

const service = useTestServer()
const game = useFixture(
  () => createGame(service.databaseUrl, smallGame),
  opened => opened.drop(),
)
let variables: Record<string, string>
prepare(async () => {
  await game.query("insert into nations (id, name) select i, 'Nation ' || i from generate_series(1, 20) i")
  variables = {
    CHANCERY_OPERATOR_URL: service.operatorUrl,
    CHANCERY_OPERATOR_TOKEN: service.operatorToken,
    CHANCERY_GAME_DATABASE_URL: game.url,
  }
})

test('without the address of the game each command names the variable to set', async () => {
  for (const words of [['pull'], ['pull', 'check'], ['outbox', 'drain'], ['outbox', 'status']]) {
    const { status, messages } = await chancery(words, { CHANCERY_OPERATOR_URL: service.operatorUrl })
    assert.equal(status, 1)
    assert.match(
      messages,
      /^chancery: CHANCERY_GAME_DATABASE_URL must be the address of the game's own database, as postgres:/,
    )
    assert.equal(messages.includes('mysql://'), words[0] === 'pull')
  }
  const mysql = {
    CHANCERY_OPERATOR_URL: service.operatorUrl,
    CHANCERY_GAME_DATABASE_URL: 'mysql://reader@127.0.0.1/',
  }
  assert.match(
    (await chancery(['outbox', 'drain'], mysql)).messages,
    /^chancery: the outbox needs PostgreSQL/,
  )
})

test('pull sql prints views of the given resources', async () => {
  const { output } = await chancery(['pull', 'sql', 'war', 'treaty', '--schema', 'chancery_out'])
  assert.deepEqual(output.match(/^create view .*$/gm), [
    'create view chancery_out.war as',
    'create view chancery_out.treaty as',
  ])
  assert.match(output, /null::text as id$/m)
})

test('pull sql --touched prints the table of touched keys in each dialect', async () => {
  for (const [dialect, pattern] of [
    ['postgresql', /^create unlogged table chancery_out\.touched \($/m],
    ['mysql', /^create table chancery_out\.touched \($/m],
    ['sqlite', /^create table chancery_out_touched \($/m],
  ] as const) {
    const { status, output } = await chancery(['pull', 'sql', '--touched', '--dialect', dialect])
    assert.equal(status, 0)
    assert.match(output, pattern)
    assert.match(output, /^-- create trigger chancery_touched_update after update on players/m)
  }
})

test('pull sql prints the dialect of the address, or the one given', async () => {
  const url = { CHANCERY_GAME_DATABASE_URL: 'mysql://reader@127.0.0.1/' }
  for (const [words, env] of [
    [['--dialect', 'mysql'], {}],
    [[], url],
  ] as const)
    assert.match(
      (await chancery(['pull', 'sql', 'war', ...words], env)).output,
      /cast\(null as char\) as `id`$/m,
    )
  const given = await chancery(['pull', 'sql', 'war', '--dialect', 'postgresql'], url)
  assert.match(given.output, /null::text as id$/m)
})

test('pull check reports what would be sent and rejected, and stores nothing', async () => {
  const good = await chancery(['pull', 'check'], variables)
  assert.deepEqual(
    [good.status, good.output],
    [0, 'alliance  0 facts\nnation  20 facts\nalliance_member  0 facts\nwar  0 facts\n'],
  )
  await game.query("update nations set name = '' where id = 3")
  const bad = await chancery(['pull', '--json', 'check'], variables)
  assert.equal(bad.status, 1)
  assert.match(bad.messages, /^chancery: 1 row would be rejected\n$/)
  const document = JSON.parse(bad.output)
  assert.deepEqual(document.views.nation, 19)
  assert.deepEqual([document.refused[0].key, document.refused[0].path], ['3', '/data/nation_name'])
  await game.query("update nations set name = 'Nation 3' where id = 3")
  assert.equal((await service.get('/nations/1')).status, 404)
})

test('pull --once sends everything, and prints one line or one JSON document', async () => {
  const once = await chanceryProcess(['pull', '--once'], variables)
  assert.equal(once.status, 0)
  assert.match(
    once.output,
    /^\d\d:\d\d:\d\d alliance 0 in total, nation 20 in total, alliance_member 0 in total, war 0 in total; batch pull:\S+ applied, 20 events\n$/,
  )
  const again = await chanceryProcess(['pull', '--once', '--json'], variables)
  assert.equal(JSON.parse(again.output).views.nation.is_whole, true)
  assert.equal(JSON.parse(again.output).events, 0)
})

test('pull runs until it is stopped, and exits with 0', async () => {
  const child = spawnChancery(['pull', '--every', '0.05'], variables)
  if (!child.stdout) throw new Error('no pipe')
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  await game.query("update nations set motto = 'Homeward.' where id in (1, 2, 3)")
  const [line] = await once(lines, 'line')
  assert.match(line, /^\d\d:\d\d:\d\d nation 3 changed; batch pull:\S+ applied, 0 events$/)
  child.kill('SIGTERM')
  assert.equal((await ended(child)).status, 0)
})

test('held-back deletions are exit status 1 of pull --once, and the rest is sent', async () => {
  await game.query("delete from nations where id > 10; update nations set motto = 'Sent.' where id = 1")
  const { status, messages, output } = await chanceryProcess(['pull', '--once'], variables)
  assert.equal(status, 1)
  assert.match(output, /^\S+ alliance 0 in total, nation 10 in total 10 deletions held back, /)
  assert.match(
    messages,
    /^chancery_out\.nation lacks 10 of 20 rows that it had before: .*\nchancery: deletions were held back; everything else was sent\n$/,
  )
  const { data } = await service.read<{ data: { motto: string } }>('/nations/1')
  assert.equal(data.motto, 'Sent.')
  const checked = await chanceryProcess(['pull', 'check'], variables)
  assert.equal(checked.status, 1)
  assert.match(checked.output, /^chancery_out\.nation lacks 10 of 20 rows/)
  assert.equal((await chanceryProcess(['pull', '--once', '--allow-deletes'], variables)).status, 0)
  assert.equal((await service.get('/nations/11')).status, 404)
})

test('a skipped view is exit status 1 of pull --once, and the others are sent', async () => {
  await game.query(`update nations set motto = 'Also sent.' where id = 1;
    create view chancery_out.era as select id::text as id, name, 1 / (id - id) as number from nations`)
  const { status, messages } = await chanceryProcess(['pull', '--once'], variables)
  assert.equal(status, 1)
  assert.match(
    messages,
    /^chancery_out\.era cannot be read and is skipped: division by zero\nchancery: a view was skipped; everything else was sent\n$/,
  )
  const { data } = await service.read<{ data: { motto: string } }>('/nations/1')
  assert.equal(data.motto, 'Also sent.')
  await game.query('drop view chancery_out.era')
})

test('the outbox is created by its SQL, drained, and reports its backlog', async () => {
  const { output: sql } = await chancery(['outbox', 'sql'])
  await game.query(sql)
  assert.equal((await chancery(['outbox', 'status'], variables)).output, 'the outbox is empty\n')
  await game.query(`begin; select chancery_out.put('nation', '{"id": 1, "motto": "By the outbox."}');
    select chancery_out.put('nation', '{"id": 2, "motto": "As well."}'); commit`)
  assert.match(
    (await chancery(['outbox', 'status'], variables)).output,
    /^1 pending transaction with 2 facts, the oldest for .*\n$/,
  )
  const drained = await chanceryProcess(['outbox', 'drain', '--once'], variables)
  assert.equal(drained.status, 0)
  assert.match(drained.output, /^\d\d:\d\d:\d\d 2 facts applied, 0 events \(batch outbox:\S+\)\n$/)
  assert.deepEqual(JSON.parse((await chancery(['outbox', 'status', '--json'], variables)).output), {
    rows: 0,
    transactions: 0,
    oldest_seconds: null,
  })
  const { data } = await service.read<{ data: { motto: string } }>('/nations/1')
  assert.equal(data.motto, 'By the outbox.')
})

test('a notification wakes the drainer long before it would poll', async () => {
  const child = spawnChancery(['outbox', 'drain', '--every', '3600'], variables)
  if (!child.stdout) throw new Error('no pipe')
  const lines = createInterface({ input: child.stdout })
  await game.query(`select chancery_out.put('nation', '{"id": 1, "motto": "Once."}')`)
  await once(lines, 'line')
  await game.query(`select chancery_out.put('nation', '{"id": 1, "motto": "Twice."}')`)
  await once(lines, 'line')
  child.kill('SIGTERM')
  assert.equal((await ended(child)).status, 0)
})
