import { type CopySession, openCopySession } from '../../../server/src/store/copy.ts'
import { sql } from '../../../server/src/store/database.ts'
import { startEmbedded } from '../../../server/src/store/embedded/index.ts'

/** What 30,000 facts of the further day leave behind: rows of so many tables, and which of them are taken. */
const sources = [
  { table: 'chancery_world.nation', rows: 'order by updated_at desc limit 18000' },
  { table: 'chancery_secret.nation_private', rows: 'limit 18000' },
  { table: 'chancery_world.nation_place', rows: 'limit 18000' },
  { table: 'chancery_world.war', rows: "where id like 'further-%' order by updated_at desc limit 3000" },
  { table: 'chancery_world.battle', rows: "where id like 'further-%' limit 6000" },
  { table: 'chancery_world.event', rows: 'order by seq desc limit 12000' },
  { table: 'chancery_world.event_nation', rows: 'order by seq desc limit 24000' },
  { table: 'chancery_world.event_alliance', rows: 'order by seq desc limit 18000' },
]
const facts = 30_000

/**
 * How many facts a second a bare COPY would take in: the rows that such facts leave behind, written into empty tables of the same
 * shape with the same indexes, by a program that knows them already and looks nothing up.
 */
export async function copyFactsPerSecond(dataDir: string): Promise<number> {
  const server = await startEmbedded({ dataDir, log: () => undefined })
  try {
    const session = await openCopySession(server.connection)
    try {
      await session.run('drop schema if exists chancery_bench cascade; create schema chancery_bench')
      let seconds = 0
      for (const [index, source] of sources.entries())
        seconds += await secondsOf(session, `t${index}`, source)
      await session.run('drop schema chancery_bench cascade')
      return Math.round(facts / seconds)
    } finally {
      await session.close()
    }
  } finally {
    await server.close()
  }
}

async function secondsOf(
  session: CopySession,
  name: string,
  { table, rows }: { table: string; rows: string },
): Promise<number> {
  const taken = `chancery_bench.${name}_taken`
  const target = `chancery_bench.${name}`
  await session.run(`create table ${taken} as select * from ${table} ${rows}`)
  await session.run(`create table ${target} (like ${table} including all)`)
  const columns = await session.rows<{ column_name: string }>(sql`
    select column_name from information_schema.columns
    where table_schema = 'chancery_bench' and table_name = ${name} order by ordinal_position`)
  const names = columns.map(({ column_name }) => column_name)
  const text: Buffer[] = []
  for await (const part of session.copyOut(taken, names)) text.push(Buffer.from(part))
  const startedMs = performance.now()
  await session.copyIn(target, names, chunksOf(text))
  return (performance.now() - startedMs) / 1_000
}

async function* chunksOf(text: Buffer[]): AsyncGenerator<Buffer> {
  yield* text
}
