import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { makeServeDir, removeServeDir, serve } from '../../server/test/support/serve-process.ts'
import { isLong } from '../../server/test/support/tier.ts'
import { until } from '../../server/test/support/until.ts'
import { type Runner, startRunner } from './killed.ts'
import { skip, smallMysqlGame, startMariaDb } from './mariadb.ts'

const rounds = isLong ? 200 : 24

test(`MariaDB, the puller and the service killed in ${rounds} rounds, a lost column and bad rows: no value differs in the end`, {
  skip,
  timeout: 600_000,
}, async t => {
  const database = await createTestDatabase()
  const db = await startMariaDb()
  const dir = makeServeDir()
  const port = await freePort()
  const start = () => serve(dir, { CHANCERY_OPERATOR_PORT: String(port) })
  let served = await start()
  const runners: Runner[] = []
  t.after(async () => {
    for (const runner of runners) await runner.kill()
    served.child.kill('SIGTERM')
    await served.ended
    await removeServeDir(dir)
    await db.close()
    await database.drop()
  })
  await db.query(smallMysqlGame)
  const runner = () => {
    const started = startRunner('pull', {
      GAME_URL: db.urlOf('reader'),
      OPERATOR_URL: `http://127.0.0.1:${port}`,
      OPERATOR_TOKEN: served.operatorToken,
      ALLOW_DELETES: '1',
      NODE_COMPILE_CACHE: join(dir, 'compiled'),
    })
    runners.push(started)
    return started
  }
  /** Repeats a change of the game while its database restarts. */
  const write = async (text: string) => {
    for (;;) {
      const isDone = await db.query(text).then(
        () => true,
        async err => {
          if (err.errno === 1062) return true
          await sleep(20)
          return false
        },
      )
      if (isDone) return
    }
  }

  let working = runner()
  let standby = runner()
  for (let round = 0; round < rounds; round += 1) {
    const first = 1 + round * 3
    const writing = (async () => {
      await write(`insert into game.nations (id, name, score, motto) values
        (${first}, 'Nation ${first}', ${round}, null), (${first + 1}, 'Größe ${first + 1}', ${round}, 'x'),
        (${first + 2}, 'Nation ${first + 2}', ${round}, ${round % 5 === 2 ? "repeat('z', 5000)" : "'ok'"})`)
      await write(
        `insert into game.wars (id, attacker, defender) values (${first}, ${first}, ${first + 1}), (${first + 1}, ${first + 1}, ${first + 2})`,
      )
      await write(`update game.nations set score = ${round} where id % 17 = ${round % 17}`)
      await write(`update game.wars set ended = '2026-03-01' where id = ${first - 15}`)
      if (round % 8 === 4) {
        await write('alter table game.wars rename column reason to why')
        await sleep(Math.random() * 100)
        await write('alter table game.wars rename column why to reason')
      }
    })()
    await sleep(Math.random() * 150)
    const victim = round % 6
    if (victim === 3) {
      served.child.kill('SIGKILL')
      await served.ended
      served = await start()
    } else if (victim === 5) {
      await db.kill()
      await db.start()
    } else {
      await standby.until(/^# (ready|another)/)
      await working.kill()
      working = standby
      standby = runner()
    }
    await writing
  }
  // The bad rows are corrected.
  await write("update game.nations set motto = 'corrected' where length(motto) > 4000")
  await write("insert into game.nations (id, name) values (100000, 'The last')")
  const isRead = async () => (await fetch(`${served.url}/api/v1/nations/100000`)).status === 200
  await until(isRead, `the last round is sent:\n${[...working.lines, ...standby.lines].slice(-5).join('\n')}`)

  async function readAll<T>(path: string): Promise<T[]> {
    const all: T[] = []
    for (let page = 1; ; page += 1) {
      const response = await fetch(`${served.url}/api/v1${path}?limit=100&page=${page}`)
      assert.equal(response.status, 200, path)
      const { data, pagination } = (await response.json()) as { data: T[]; pagination: { pages: number } }
      all.push(...data)
      if (page >= pagination.pages) return all
    }
  }
  interface Nation {
    id: string
    nation_name: string
    national_score: number
    motto: string | null
  }
  const source = await db.query('select id, name, score, motto from game.nations order by cast(id as char)')
  const wanted = source.map(({ id, name, score, motto }) => [String(id), name, Number(score), motto])
  const nationsOf = async () =>
    (await readAll<Nation>('/nations'))
      .map(({ id, nation_name, national_score, motto }) => [id, nation_name, national_score, motto])
      .sort(([one = ''], [other = '']) => (String(one) < String(other) ? -1 : 1))
  // Lists show a change with the next ranking round.
  await until(
    async () => JSON.stringify(await nationsOf()) === JSON.stringify(wanted),
    'every nation is that of the game',
  ).catch(async () => assert.deepEqual(await nationsOf(), wanted))
  const wars = await readAll<{ id: string; status: string }>('/wars')
  const sourceWars = await db.query('select id, ended from game.wars')
  assert.deepEqual(
    wars.map(({ id, status }) => `${id} ${status}`).sort(),
    sourceWars.map(({ id, ended }) => `${id} ${ended === null ? 'active' : 'ended'}`).sort(),
  )
})
