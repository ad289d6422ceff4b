import { ingestLock } from '../../src/store/locks.ts'
import type { TestDatabase } from './database.ts'
import { databaseOf } from './database-url.ts'

/**
 * Lets a test choose when the database server appears to have started, in sessions that begin from now on. Returns what restarts it; `also`
 * is run in the same transaction. No batch is in progress then: none outlives a server.
 */
export async function pretendRestarts({
  url,
  query,
}: Pick<TestDatabase, 'url' | 'query'>): Promise<(also?: string) => Promise<void>> {
  await query(`
    create schema pretend;
    create table pretend.server as select pg_postmaster_start_time() as started_at;
    create function pretend.pg_postmaster_start_time() returns timestamptz security definer language sql
      as 'select started_at from pretend.server';
    grant usage on schema pretend to public;
    alter database ${databaseOf(url)} set search_path = pretend, pg_catalog, public`)
  return async (also = '') => {
    await query(`
      select pg_advisory_xact_lock(${ingestLock});
      update pretend.server set started_at = clock_timestamp();
      ${also};
      select pg_notify('chancery_pulse', '')`)
  }
}
