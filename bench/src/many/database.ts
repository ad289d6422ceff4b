import pg from 'pg'
import { cpuSecondsOf } from '../cpu-seconds.ts'

/** A database of the measurement's own, on a PostgreSQL of this machine. */
export interface BenchDatabase {
  url: string
  /** Sessions that are open, and the processor time that they have used. Of those that have ended nothing is known. */
  sessions(): Promise<{ count: number; cpuSeconds: number }>
  drop(): Promise<void>
}

export async function createBenchDatabase(server: string): Promise<BenchDatabase> {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  const name = `chancery_bench_${process.pid}`
  await admin.query(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async sessions() {
      const { rows } = await admin.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = $1',
        [name],
      )
      const seconds = await Promise.all(rows.map(({ pid }) => cpuSecondsOf(pid)))
      return { count: rows.length, cpuSeconds: seconds.reduce<number>((sum, one) => sum + (one ?? 0), 0) }
    },
    async drop() {
      await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
    },
  }
}
