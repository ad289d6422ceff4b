import { withConnection } from '../support/database-url.ts'

/** Every row of every table as text, a line each, behind its table's name. */
export async function allTables(url: string, except: readonly string[] = []): Promise<string> {
  return withConnection(url, async client => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname like 'chancery%' order by 1`)
    const texts: string[] = []
    for (const { name } of tables) {
      if (except.includes(name)) continue
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t order by 1`)
      texts.push(...rows.map(({ row }) => `${name} ${row}`))
    }
    return texts.join('\n')
  })
}

/** How many rows each table has. */
export async function rowCounts(url: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const line of (await allTables(url)).split('\n')) {
    const [table = ''] = line.split(' ', 1)
    // A text in a row may hold the end of a line.
    if (/^chancery_[a-z]+\.[a-z_]+$/.test(table)) counts.set(table, (counts.get(table) ?? 0) + 1)
  }
  return counts
}
