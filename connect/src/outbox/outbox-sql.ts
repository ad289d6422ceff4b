import { readFile } from 'node:fs/promises'

/** The SQL that makes an outbox in a game's database. */
export const outboxSql = (): Promise<string> =>
  readFile(new URL('../../sql/outbox.sql', import.meta.url), 'utf8')
