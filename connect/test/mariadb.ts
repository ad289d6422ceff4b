import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { until } from '../../server/test/support/until.ts'

const found = ['/usr/sbin/mariadbd', '/usr/local/sbin/mariadbd', '/usr/local/bin/mariadbd'].find(existsSync)
const isRequired = process.env.CHANCERY_REQUIRE_MARIADB === '1'
/** Why tests with MariaDB are skipped; false where it is installed. */
export const skip = found || isRequired ? false : 'mariadbd is not installed'

/** A MariaDB of its own, on a port of 127.0.0.1. */
export interface MariaDb {
  port: number
  /** Files for TLS, in a folder that `close` removes. */
  folder: string
  /** The address for a user without a password. */
  urlOf(user: string): string
  /** Runs statements as an administrator; rows of the last one. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function startMariaDb(): Promise<MariaDb> {
  assert.ok(found, 'mariadbd is required and not installed')
  const folder = await mkdtemp(join(tmpdir(), 'chancery-mariadb-'))
  const user = `--user=${userInfo().username}`
  const installed = spawnSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      user,
      `--datadir=${folder}/data`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { encoding: 'utf8' },
  )
  assert.equal(installed.status, 0, installed.stderr + installed.stdout)
  const port = await freePort()
  const urlOf = (name: string) => `mysql://${name}@127.0.0.1:${port}/`
  let child: ChildProcess | undefined
  const query: MariaDb['query'] = async (text, values) => {
    const client = await createConnection({
      uri: urlOf('root'),
      multipleStatements: true,
      charset: 'utf8mb4',
    })
    try {
      const [rows] = await client.query(text, values)
      return rows as Record<string, unknown>[]
    } finally {
      await client.end()
    }
  }
  const start = async () => {
    child = spawn(
      found,
      [
        '--no-defaults',
        user,
        `--datadir=${folder}/data`,
        `--socket=${folder}/socket`,
        `--pid-file=${folder}/pid`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-log-bin',
        // A killed process loses nothing that was committed; a machine without power may.
        '--innodb-flush-log-at-trx-commit=2',
        // Another zone than that of the client.
        '--default-time-zone=+05:00',
        '--character-set-server=latin1',
        ...(existsSync(`${folder}/key.pem`)
          ? [`--ssl-cert=${folder}/cert.pem`, `--ssl-key=${folder}/key.pem`]
          : []),
      ],
      { stdio: 'ignore' },
    )
    await until(async () => {
      assert.equal(child?.exitCode, null, 'mariadbd ended')
      return query('select 1').then(
        () => true,
        () => false,
      )
    }, 'MariaDB responds')
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    folder,
    urlOf,
    query,
    start,
    kill,
    async close() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The small game of game.ts in its dialect, with a user that may only read the views. */
export const smallMysqlGame = `
  create database game character set latin1;
  create table game.alliances (id int primary key, name varchar(100));
  create table game.nations (id int unsigned primary key, name varchar(100), score decimal(12, 2) default 0, gold bigint unsigned,
    born datetime default '2026-01-01 00:00', motto text);
  create table game.members (nation int primary key, alliance int);
  create table game.wars (id int primary key, attacker int, defender int, declared int default 1769904000, ended datetime, reason text);
  create database chancery_out character set utf8mb4;
  create view chancery_out.alliance as select id, name from game.alliances;
  create view chancery_out.nation as
    select id, name as nation_name, score as national_score, born as founded_at, motto, gold as \`economy.credits\` from game.nations;
  create view chancery_out.alliance_member as select nation as nation_id, alliance as alliance_id from game.members;
  create view chancery_out.war as
    select id, attacker as \`attacker.nation_id\`, defender as \`defender.nation_id\`, declared as declared_at, ended as ended_at,
      case when ended is null then 'active' else 'ended' end as status, reason from game.wars;
  create user reader@'127.0.0.1';
  grant select, show view on chancery_out.* to reader@'127.0.0.1';
`
