import { sql } from './database.ts'

/** Advisory locks. */

/** Held by the transaction of a batch: one at a time writes the world. */
export const ingestLock = 0x696e_6765

/** Held during a ranking round: one at a time, over all processes. */
export const roundLock = 0x726f_756e

/** Held during a migration, a backup (shared) or a restore. */
export const migrationLock = 0x6368_616e

/**
 * Taken until the end of the transaction by everything that creates or counts rows of a player, or erases the player. Rows of the player
 * that are read after it do not change until then.
 */
export const playerLock = (playerId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('chancery player'), hashtext(${playerId}))`
