/**
 * `node bench/src/pull.ts`: what a pull of a world of 10,000 nations and 50,000 wars takes. The game's database is made for it on
 * the PostgreSQL of CHANCERY_GAME_DATABASE_URL (postgres://postgres@127.0.0.1:5432/postgres), and dropped. The first round tells
 * all; rounds without changes follow, and one in which a row has changed. Processor time is that of the puller and of its session
 * in the game's database, where that is on this machine.
 * `--json` prints one document.
 */
import { cpus } from 'node:os'
import { type GameDatabase, openGame, Puller } from '@chancery/connect'
import { contractFor, demoProfile } from '@chancery/contract'
import { connectDoor } from '../../cli/src/door/connect-door.ts'
import { openDoor } from '../../cli/src/door/operator-door.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { serve } from './served.ts'

const nations = 10_000
const wars = 50_000
const everySeconds = 5
const quietRounds = 20
const server = process.env.CHANCERY_GAME_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres'
const name = `chancery_bench_${process.pid}`
const silentMs = 600_000

const maintenance = await openGame(server, { name: 'chancery bench', isReadOnly: false, silentMs })
await maintenance.rows(`create database ${name}`)
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
const served = await serve()
try {
  const game = await openGame(url, { name: 'chancery bench', isReadOnly: false, silentMs })
  await fill(game)
  const report = await measure(game)
  await game.close()
  console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : textOf(report))
} finally {
  await served.close()
  await maintenance.rows(`drop database ${name} with (force)`)
  await maintenance.close()
}

/** A game's tables as wide as games have them, and views over them. */
async function fill(game: GameDatabase): Promise<void> {
  const statements = [
    `create table nations (id int primary key, name text, leader text, score numeric(12, 2), cities int, founded timestamptz,
       motto text, player bigint, credits bigint, soldiers int)`,
    `insert into nations select i, 'Nation ' || i, 'Leader ' || i, i * 7 % 5000 + .25, i % 40, timestamptz '2026-01-01' + i * interval '1 minute',
       'Through storm, homeward ' || i, i, i * 100, i * 3 from generate_series(1, ${nations}) i`,
    `create table wars (id int primary key, attacker int, defender int, declared timestamptz, ended timestamptz, reason text)`,
    `insert into wars select i, 1 + i % ${nations}, 1 + (i * 7 + 1) % ${nations}, timestamptz '2026-02-01' + i * interval '1 minute',
       case when i % 2 = 0 then timestamptz '2026-04-01' + i * interval '1 minute' end, 'Reason number ' || i
     from generate_series(1, ${wars}) i where 1 + i % ${nations} <> 1 + (i * 7 + 1) % ${nations}`,
    'create schema chancery_out',
    `create view chancery_out.nation as select id, name as nation_name, leader as leader_name, score as national_score, cities as city_count,
       founded as founded_at, motto, player, credits as "economy.credits", soldiers as "military.units.soldiers" from nations`,
    `create view chancery_out.war as select id, attacker as "attacker.nation_id", defender as "defender.nation_id", declared as declared_at,
       ended as ended_at, case when ended is null then 'active' else 'ended' end as status, reason from wars`,
    'analyze nations',
    'analyze wars',
  ]
  for (const statement of statements) await game.rows(statement)
}

interface Report {
  nations: number
  wars: number
  first_seconds: number
  one_change_seconds: number
  /** A round without changes: the slowest of some, and processor time of one. */
  quiet_seconds: number
  quiet_cpu_seconds: { puller: number; database: number | null }
  /** Share of one core that rounds without changes take, one every so many seconds. */
  core_share: number
}

async function measure(game: GameDatabase): Promise<Report> {
  const session = await openGame(url, { name: 'chancery bench pull', isReadOnly: true, silentMs })
  const [row] = await session.tuples('select pg_backend_pid()')
  const backend = Number(row?.[0])
  const puller = new Puller({
    contract: contractFor(demoProfile),
    door: connectDoor(openDoor({ url: served.operatorUrl, token: served.operatorToken })),
    schema: 'chancery_out',
    feed: 'pull',
    allowsDeletes: false,
    say: message => console.error(message),
  })
  const round = async () => {
    const startedMs = performance.now()
    const told = await puller.round(session)
    return { told, seconds: (performance.now() - startedMs) / 1000 }
  }
  try {
    const first = await round()
    const databaseBefore = await cpuSecondsOf(backend)
    const pullerBefore = process.cpuUsage()
    const quiet: number[] = []
    for (let count = 0; count < quietRounds; count += 1) quiet.push((await round()).seconds)
    const { user, system } = process.cpuUsage(pullerBefore)
    const databaseAfter = await cpuSecondsOf(backend)
    const spent = {
      puller: (user + system) / 1e6 / quietRounds,
      database:
        databaseBefore === undefined || databaseAfter === undefined
          ? null
          : (databaseAfter - databaseBefore) / quietRounds,
    }
    await game.rows("update nations set motto = 'Changed' where id = 77")
    const changed = await round()
    if (changed.told?.views.nation?.changed !== 1) throw new Error('the change was not told')
    return {
      nations,
      wars,
      first_seconds: first.seconds,
      one_change_seconds: changed.seconds,
      quiet_seconds: Math.max(...quiet),
      quiet_cpu_seconds: spent,
      core_share: (spent.puller + (spent.database ?? 0)) / everySeconds,
    }
  } finally {
    await session.close()
  }
}

function textOf(report: Report): string {
  const { puller, database } = report.quiet_cpu_seconds
  const shown = (seconds: number) => `${(seconds * 1000).toFixed(0)} ms`
  return `${cpus().length} CPUs; the game's database, the service, its database and the puller share them.
${report.nations} nations and ${report.wars} wars.

The first round, which tells all:     ${report.first_seconds.toFixed(1)} s
A round without changes:              ${shown(report.quiet_seconds)} at most of ${quietRounds}
  processor time                      ${shown(puller)} of the puller${database === null ? '' : `, ${shown(database)} of its session in the game's database`}
  at one every ${everySeconds} seconds             ${(report.core_share * 100).toFixed(1)} % of a core
A round in which one row has changed: ${shown(report.one_change_seconds)}`
}
