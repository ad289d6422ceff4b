import pg from 'pg'

/** Rows of one statement, as somebody sees them who holds the whole database. */
export async function query<R>(databaseUrl: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query(text, values)).rows as R[]
  } finally {
    await client.end()
  }
}

/** Everything that the database holds, as text: every row of every table of its own. */
export async function dump(databaseUrl: string): Promise<string> {
  const tables = await query<{ name: string }>(
    databaseUrl,
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname like 'chancery%' order by 1`,
  )
  const parts = []
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(databaseUrl, `select t::text as row from ${name} t`)
    parts.push(name, ...rows.map(({ row }) => row))
  }
  return parts.join('\n')
}
