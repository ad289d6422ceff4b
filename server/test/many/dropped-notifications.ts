import { databaseOf, withConnection } from '../support/database-url.ts'

/** Discards every notification of changes in the future sessions of a database. */
export const dropNotifications = (databaseUrl: string): Promise<void> =>
  withConnection(databaseUrl, async client => {
    await client.query(`
      create schema dropped;
      grant usage on schema dropped to public;
      create function dropped.pg_notify(text, text) returns void language sql as 'select';
      alter database ${databaseOf(databaseUrl)} set search_path = dropped, pg_catalog, "$user", public`)
  })

/** The number of notifications during `work`. */
export const countNotifications = (databaseUrl: string, work: () => Promise<unknown>): Promise<number> =>
  withConnection(databaseUrl, async client => {
    let count = 0
    client.on('notification', () => (count += 1))
    await client.query('listen chancery_pulse')
    await work()
    // Notifications sent before this query arrive before its result.
    await client.query('select')
    return count
  })
