/**
 * Connects the small game of examples/connect-a-game as its README does, once by views and once by outbox, and compares the
 * responses of the API with the game's tables. Needs a PostgreSQL for the game: CHANCERY_TEST_DATABASE_URL, or the one on
 * the usual port. Exits 1 if they differ.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type RunningChancery, readAll, root, runChancery } from './smoke/running-chancery.ts'

const run = promisify(execFile)
const example = join(root, 'examples/connect-a-game')
const chancery = join(root, 'cli/bin/chancery.js')
const server = process.env.CHANCERY_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

await tryConnection('views', async ({ pull, play }) => {
  await play(300, 1)
  await pull()
  await play(300, 2)
  await pull()
})

await tryConnection('outbox', async ({ pull, play, game, sql, outboxSql, drain }) => {
  await play(300, 1)
  await writeFile(join(game.dir, 'outbox.sql'), await outboxSql())
  await sql(join(game.dir, 'outbox.sql'), join(example, 'sql/triggers.sql'))
  // Rows from before the triggers are sent once by the views.
  await pull()
  await play(300, 2)
  // The first country loses its spies to the last one: the units of the old owner are compared below.
  await game.db.query(`
    begin;
    delete from legions.legion where arm = 'spy' and country = (select max(id) from legions.country);
    update legions.legion set country = (select max(id) from legions.country)
    where arm = 'spy' and country = (select min(id) from legions.country);
    commit`)
  await drain()
})

interface Steps {
  game: { dir: string; db: pg.Client }
  sql(...files: string[]): Promise<unknown>
  play(steps: number, seed: number): Promise<unknown>
  pull(): Promise<unknown>
  outboxSql(): Promise<string>
  drain(): Promise<unknown>
}

async function tryConnection(way: string, connect: (steps: Steps) => Promise<void>): Promise<void> {
  const database = `chancery_example_${process.pid}_${way}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${database}`)
  const url = Object.assign(new URL(server), { pathname: `/${database}` }).href
  const db = new pg.Client({ connectionString: url })
  let running: RunningChancery | undefined
  try {
    await db.connect()
    running = await runChancery([process.execPath, chancery, 'serve'], {
      settings: { CHANCERY_GAME_FILE: join(example, 'profile.json'), CHANCERY_ANONYMOUS_LIMIT: '100000' },
    })
    const env = { ...running.env, GAME_DATABASE_URL: url, CHANCERY_GAME_DATABASE_URL: url }
    const inGame = (...words: string[]) =>
      run(process.execPath, [join(example, 'src/main.ts'), ...words], { env })
    const outside = async (...words: string[]) =>
      (await run(process.execPath, [chancery, ...words], { env })).stdout
    const sql = (...files: string[]) => inGame('apply', ...files)
    await sql(join(example, 'sql/game.sql'), join(example, 'sql/views.sql'))
    await connect({
      game: { dir: running.env.CHANCERY_DATA_DIR ?? '', db },
      sql,
      play: (steps, seed) => inGame('play', String(steps), String(seed)),
      pull: () => outside('pull', '--once'),
      outboxSql: () => outside('outbox', 'sql'),
      drain: () => outside('outbox', 'drain', '--once'),
    })
    const { url: api } = running
    const counts = await untilEqual(() => compare(db, api))
    await compareSecrets(db, running.url, outside)
    console.log(`${way}: ${counts}: the API matches the game's tables`)
  } finally {
    await db.end()
    await running?.stop()
    await admin.query(`drop database ${database} with (force)`)
    await admin.end()
  }
}

/** Retries the comparison: lists follow with the ranking round, within a second. */
async function untilEqual<T>(compareOnce: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 10_000; ; await sleep(200)) {
    try {
      return await compareOnce()
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > deadline) throw error
    }
  }
}

/** Compares public reads with the game's own tables. */
async function compare(db: pg.Client, url: string): Promise<string> {
  const rows = async (text: string) => (await db.query(text)).rows
  const countries = await rows(`
    select c.id::text, c.name, c.glory::float8 as score, s.clan::text, s.rank from legions.country c
    left join legions.seat s on s.country = c.id order by c.id`)
  const nations = await readAll(url, '/nations')
  const byId = (one: { id: string }, other: { id: string }) => Number(one.id) - Number(other.id)
  assert.deepEqual(
    nations
      .map(nation => {
        const { alliance } = nation as { alliance: { alliance_id: string; rank: string } | null }
        return {
          id: String(nation.id),
          name: nation.nation_name,
          score: nation.national_score,
          clan: alliance?.alliance_id ?? null,
          rank: alliance?.rank ?? null,
        }
      })
      .sort(byId),
    countries,
  )
  const clans = await rows(`
    select c.id::text, c.title as name, (select count(*)::integer from legions.seat s where s.clan = c.id) as members
    from legions.clan c order by c.id`)
  const alliances = await readAll(url, '/alliances')
  assert.deepEqual(
    alliances
      .map(({ id, name, member_count }) => ({ id: String(id), name, members: member_count }))
      .sort(byId),
    clans,
  )
  const campaigns = await rows(`
    select c.id::text, c.finished is null as is_active, (select count(*)::integer from legions.clash f where f.campaign = c.id) as clashes
    from legions.campaign c order by c.id`)
  const wars = await readAll(url, '/wars')
  assert.deepEqual(
    wars
      .map(war => ({ id: String(war.id), is_active: war.status === 'active', clashes: war.battles_count }))
      .sort(byId),
    campaigns,
  )
  const prices = await readAll(url, '/market/price')
  assert.deepEqual(
    Object.fromEntries(prices.map(({ resource, price }) => [resource, price])),
    Object.fromEntries(
      (await rows('select good, price::float8 from legions.bazaar')).map(row => [row.good, row.price]),
    ),
  )
  const events = await readAll(url, '/events')
  const declared = events.filter(({ type }) => type === 'war.declared')
  assert.equal(declared.length, campaigns.length, 'each campaign is announced once')
  const game = (await (await fetch(new URL('/api/v1/game', url))).json()) as { data: { name: string } }
  assert.equal(game.data.name, 'Legions')
  return `${countries.length} countries, ${clans.length} clans, ${campaigns.length} campaigns, ${events.length} events`
}

/** Private data is readable with the player's key only. */
async function compareSecrets(
  db: pg.Client,
  url: string,
  outside: (...words: string[]) => Promise<string>,
): Promise<void> {
  const { rows } = await db.query(`
    select c.id::text, c.gold::float8 as gold, c.unrest,
      '{"legionary": 0, "cavalry": 0, "galley": 0, "spy": 0}' || jsonb_object_agg(l.arm, l.in_field) as units
    from legions.country c join legions.legion l on l.country = c.id group by c.id order by c.id limit 1`)
  const [country] = rows
  const scopes = 'nation.read,economy.read,military.read'
  const { key } = JSON.parse(
    await outside('keys', 'create', '--nation', country.id, '--name', 'trial', '--scopes', scopes, '--json'),
  )
  const read = async (path: string, headers = {}) =>
    (await fetch(new URL(`/api/v1${path}`, url), { headers })).json()
  const own = (await read('/me/nation?include=economy,military', { authorization: `Bearer ${key}` })) as {
    data: { economy: { credits: number }; military: { units: object }; attributes: object }
  }
  assert.equal(own.data.economy.credits, country.gold)
  assert.deepEqual(own.data.military.units, country.units)
  assert.deepEqual(own.data.attributes, { unrest: country.unrest })
  const anonymous = (await read(`/nations/${country.id}`)) as { data: Record<string, unknown> }
  assert.equal(anonymous.data.military, undefined)
  assert.deepEqual(anonymous.data.attributes, {})
}
