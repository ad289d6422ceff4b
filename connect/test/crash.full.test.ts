import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.ts'
import {
  makeServeDir,
  removeServeDir,
  type ServeProcess,
  serve,
} from '../../server/test/support/serve-process.ts'
import { isLong } from '../../server/test/support/tier.ts'
import { until } from '../../server/test/support/until.ts'
import { outboxSql } from '../src/outbox-sql.ts'
import { createGame, type Game, smallGame, touchedTriggers } from './game.ts'
import { type Runner, startRunner } from './killed.ts'

/** More rounds in the tier of fault-injection tests. */
const rounds = isLong ? 200 : 20
/** A process takes a third of a second to start, on a busy machine more. */
const timeout = 600_000
/** After each series of this many rounds the service is killed instead. */
const serviceEvery = rounds === 20 ? 10 : 20

let database: TestDatabase
let dir: string
let port: number
let served: ServeProcess
let game: Game
before(async () => {
  database = await createTestDatabase()
  game = await createGame(database.url, smallGame)
  await game.query(await outboxSql())
  dir = makeServeDir()
  port = await freePort()
  served = await start()
})
after(async () => {
  served.child.kill('SIGTERM')
  await served.ended
  await removeServeDir(dir)
  await game.drop()
  await database.drop()
})

/** The same address after each restart. */
const start = () => serve(dir, { CHANCERY_OPERATOR_PORT: String(port) })

const runner = (what: 'pull' | 'outbox'): Runner =>
  startRunner(what, {
    GAME_URL: game.url,
    OPERATOR_URL: `http://127.0.0.1:${port}`,
    OPERATOR_TOKEN: served.operatorToken,
    // It starts two hundred times.
    NODE_COMPILE_CACHE: join(dir, 'compiled'),
  })

/**
 * Kills a puller or drainer this many times, at a random moment of its work, while the game writes; in some rounds the service
 * is killed instead. A standby takes over each time. Returns the last process, and how many rounds were sent.
 */
async function killing(
  what: 'pull' | 'outbox',
  write: (round: number) => Promise<void>,
): Promise<[Runner, number]> {
  let sent = 0
  let working = runner(what)
  let next = runner(what)
  for (let round = 0; round < rounds; round += 1) {
    const writing = write(round)
    await sleep(Math.random() * 150)
    if (round % serviceEvery === serviceEvery - 1) {
      served.child.kill('SIGKILL')
      await served.ended
      served = await start()
    } else {
      await next.until(/^# (ready|another)/)
      await working.kill()
      sent += working.lines.filter(line => line.startsWith('{')).length
      working = next
      next = runner(what)
    }
    await writing
  }
  await next.kill()
  return [working, sent]
}

async function readAll<T>(path: string): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page += 1) {
    const response = await fetch(
      `${served.url}/api/v1${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`,
    )
    assert.equal(response.status, 200, path)
    const { data, pagination } = (await response.json()) as { data: T[]; pagination: { pages: number } }
    all.push(...data)
    if (page >= pagination.pages) return all
  }
}

/** Lists show a change with the next ranking round. */
const untilRanked = () =>
  until(async () => {
    const response = await fetch(`${served.operatorUrl}/status`, {
      headers: { authorization: `Bearer ${served.operatorToken}` },
    })
    const status = (await response.json()) as { world_version: number; ranked_version: number }
    return status.ranked_version >= status.world_version
  }, 'the lists show the world')

interface LoggedEvent {
  seq: number
  type: string
  nation_ids: string[]
  war_id: string | null
  data: Record<string, unknown>
}

/** Occurrences by name. */
const countsOf = (events: LoggedEvent[], nameOf: (event: LoggedEvent) => unknown) => {
  const counts = new Map<unknown, number>()
  for (const event of events) counts.set(nameOf(event), (counts.get(nameOf(event)) ?? 0) + 1)
  return counts
}

test(`a puller and the service killed in ${rounds} rounds: the world equals the source, without duplicate events`, {
  timeout,
}, async () => {
  const [last, sent] = await killing('pull', async round => {
    const first = round * 3
    // From here on the puller reads touched keys between its restarts.
    if (round === rounds / 2) await game.query(touchedTriggers(['nations', 'wars']))
    await game.query(
      `begin;
       insert into nations (id, name, score) select i, 'Nation ' || i, ${round} from generate_series(${first}, ${first + 2}) i;
       insert into wars (id, attacker, defender) values (${first}, ${first}, ${first + 1}), (${first + 1}, ${first + 1}, ${first + 2});
       update nations set score = ${round} where id % 17 = ${round % 17};
       update wars set ended = declared + interval '1 day' where id = ${first - 15};
       delete from nations where id = ${first - 24} and id % 4 = 0;
       commit`,
    )
  })
  await game.query(`insert into nations (id, name) values (100000, 'The last')`)
  await until(
    async () => (await fetch(`${served.url}/api/v1/nations/100000`)).status === 200,
    `the last round is sent:\n${last.lines.slice(-5).join('\n')}`,
  )
  await last.kill()
  await untilRanked()
  assert.ok(sent > rounds / 4, `${sent} rounds were sent before a kill`)

  const source = await game.query(
    `select id::text, name as nation_name, score::float8 as national_score from nations order by id::text collate "C"`,
  )
  const nations = await readAll<{ id: string; nation_name: string; national_score: number }>('/nations')
  assert.deepEqual(
    nations
      .map(({ id, nation_name, national_score }) => ({ id, nation_name, national_score }))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
    source,
  )
  const wars = await readAll<{ id: string; status: string }>('/wars')
  assert.deepEqual(
    wars.map(({ id, status }) => `${id} ${status}`).sort(),
    (
      await game.query(
        `select id || case when ended is null then ' active' else ' ended' end as war from wars`,
      )
    )
      .map(({ war }) => String(war))
      .sort(),
  )

  const events = await readAll<LoggedEvent>('/events')
  assert.deepEqual(
    events.map(({ seq }) => seq).sort((one, other) => one - other),
    events.map((_, index) => index + 1),
  )
  for (const type of ['nation.founded', 'war.declared', 'war.ended', 'nation.deleted']) {
    const counts = countsOf(
      events.filter(event => event.type === type),
      event => event.war_id ?? event.nation_ids[0],
    )
    assert.ok(counts.size > 0, type)
    assert.deepEqual(
      [...counts].filter(([, count]) => count !== 1),
      [],
      `${type} is duplicated`,
    )
  }
  const declared = events.filter(({ type }) => type === 'war.declared')
  assert.equal(declared.length, wars.length)
})

test(`a drainer and the service killed in ${rounds} rounds: each event is logged once, and none is lost`, {
  timeout,
}, async () => {
  const before = new Set((await readAll<LoggedEvent>('/events')).map(({ seq }) => seq))
  const sessions = [await game.session(), await game.session()]
  const wanted: number[] = []
  const insertFact = (number: number) =>
    `select chancery_out.event('game.disaster', now(), '{"disaster": "storm", "severity": ${number}}');`
  await game.query(`select chancery_out.put('nation', '{"id": "counter", "nation_name": "Counter"}')`)
  const [last] = await killing('outbox', async round => {
    // Two overlap, and commit in any order; the third is rolled back.
    const numbers = [round * 4, round * 4 + 1, round * 4 + 2]
    const [one, other] = Math.random() < 0.5 ? sessions : sessions.toReversed()
    await one?.query(`begin; ${insertFact(numbers[0] ?? 0)} ${insertFact(numbers[1] ?? 0)}`)
    await other?.query(`begin; ${insertFact(numbers[2] ?? 0)}
      select chancery_out.put('nation', '{"id": "counter", "city_count": ${round}}'); commit`)
    await sleep(Math.random() * 10)
    await one?.query('commit')
    await one?.query(`begin; ${insertFact(round * 4 + 3)} rollback`)
    wanted.push(...numbers)
  })
  await until(
    async () => Number((await game.query('select count(*) from chancery_out.outbox'))[0]?.count) === 0,
    `the outbox is empty:\n${last.lines.slice(-5).join('\n')}`,
  )
  await last.kill()
  const events = (await readAll<LoggedEvent>('/events')).filter(({ seq }) => !before.has(seq))
  const sent = events.filter(({ type }) => type === 'game.disaster').map(({ data }) => Number(data.severity))
  assert.deepEqual(
    sent.sort((one, other) => one - other),
    wanted.sort((one, other) => one - other),
  )
  const response = await fetch(`${served.url}/api/v1/nations/counter`)
  assert.equal(((await response.json()) as { data: { city_count: number } }).data.city_count, rounds - 1)
})
