import { readFile } from 'node:fs/promises'

// The root is two levels up, both from here and from the bundle in cli/dist.
const file = new URL('../../connect/sql/outbox.sql', import.meta.url)

/** The SQL that creates an outbox in a game's database. */
export const outboxSql = (): Promise<string> => readFile(file, 'utf8')
