import { databaseOf, withConnection } from '../support/database-url.ts'

/** From now on no session of this database is told of a change: what hastens the pulse is lost, each time. For sessions to come. */
export const loseNotices = (databaseUrl: string): Promise<void> =>
  withConnection(databaseUrl, async client => {
    await client.query(`
      create schema lost;
      grant usage on schema lost to public;
      create function lost.pg_notify(text, text) returns void language sql as 'select';
      alter database ${databaseOf(databaseUrl)} set search_path = lost, pg_catalog, "$user", public`)
  })

/** How many notices of a change come while `work` is done. */
export const noticesDuring = (databaseUrl: string, work: () => Promise<unknown>): Promise<number> =>
  withConnection(databaseUrl, async client => {
    let count = 0
    client.on('notification', () => (count += 1))
    await client.query('listen chancery_pulse')
    await work()
    // What was sent before this is there before its answer.
    await client.query('select')
    return count
  })
