/**
 * `bench pull`: a pull of a game database of 10,000 nations and 50,000 wars: the first round, rounds without changes, and one with a
 * changed row. Processor time is that of the puller and of its session in the game's database.
 */
import { openGame, openViews, Puller } from '@chancery/connect'
import { contractFor, demoProfile } from '@chancery/contract'
import { createServiceClient } from '../../cli/src/game-connection.ts'
import { createOperatorClient } from '../../cli/src/operator-client/operator-client.ts'
import { measureCpu, rounded } from './machine.ts'
import { startPostgres, startService } from './servers.ts'

const nations = 10_000
const wars = 50_000
const everySeconds = 5
const idleTimeoutMs = 600_000

export async function measurePull({ rounds }: { rounds: number }): Promise<object> {
  const postgres = await startPostgres()
  const { operatorUrl, operatorToken } = await startService()
  await postgres.db.query('create database game')
  const url = Object.assign(new URL(postgres.url), { pathname: '/game' }).href
  const game = await openGame(url, { name: 'chancery bench', isReadOnly: false, idleTimeoutMs })
  for (const statement of gameStatements) await game.rows(statement)
  const session = await openViews(url, { name: 'chancery bench pull', isReadOnly: true, idleTimeoutMs })
  const [row] = await game.tuples(
    "select pid from pg_stat_activity where application_name = 'chancery bench pull'",
  )
  const puller = new Puller({
    contract: contractFor(demoProfile),
    client: createServiceClient(createOperatorClient({ url: operatorUrl, token: operatorToken })),
    schema: 'chancery_out',
    feed: 'pull',
    allowsDeletes: false,
    log: message => console.error(message),
  })
  const timed = async () => {
    const { value, seconds } = await measureCpu([], () => puller.round(session))
    return { report: value, seconds: rounded(seconds, 3) }
  }
  const first = await timed()
  const before = process.cpuUsage()
  const unchanged = await measureCpu([Number(row?.[0])], async () => {
    const seconds: number[] = []
    for (let count = 0; count < rounds; count += 1) seconds.push((await timed()).seconds)
    return Math.max(...seconds)
  })
  const { user, system } = process.cpuUsage(before)
  const [database = null] = unchanged.cpuSeconds
  const cpu = {
    puller: rounded((user + system) / 1e6 / rounds, 4),
    database: database === null ? null : rounded(database / rounds, 4),
  }
  await game.rows("update nations set motto = 'Changed' where id = 77")
  const changed = await timed()
  if (changed.report?.views.nation?.changed !== 1) throw new Error('the changed row was not sent')
  await Promise.all([session.close(), game.close()])
  return {
    nations,
    wars,
    first_seconds: first.seconds,
    one_change_seconds: changed.seconds,
    // The slowest round without changes.
    unchanged_seconds: unchanged.value,
    unchanged_cpu_seconds: cpu,
    // At one unchanged round every 5 seconds.
    core_share: rounded((cpu.puller + (cpu.database ?? 0)) / everySeconds, 4),
  }
}

/** Tables as wide as those of games, and views over them. */
const gameStatements = [
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
