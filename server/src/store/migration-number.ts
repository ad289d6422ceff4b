import { type ConnectionTarget, createPool, sql } from './database.ts'

/** The number of the last migration that a database has. */
export async function readMigrationNumber(target: ConnectionTarget): Promise<number> {
  const db = createPool({ target, connectionsMax: 1, statementTimeoutMs: 20_000 })
  try {
    const row = await db.first<{ number: number }>(
      sql`select max(number) as number from chancery_meta.migration`,
    )
    return row?.number ?? 0
  } finally {
    await db.close()
  }
}
