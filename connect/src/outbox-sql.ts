import { readFile } from 'node:fs/promises'

// From this folder as from that of the bundle, cli/dist, two steps lead to the root.
const file = new URL('../../connect/sql/outbox.sql', import.meta.url)

/** The SQL that makes an outbox in a game's database. */
export const outboxSql = (): Promise<string> => readFile(file, 'utf8')
