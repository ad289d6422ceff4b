import { sql } from './database.ts'

/** Advisory locks that more than one part of the service takes, or waits for. */

/** One batch at a time writes the world: whoever applies holds this advisory lock until it commits. */
export const ingestLock = 0x696e_6765

/** One ranking round at a time, whichever process runs it. */
export const roundLock = 0x726f_756e

/**
 * Whoever makes something that is a player's, counts it, or forgets the player, waits for the others: until the transaction ends. What
 * is read of the player after it, is so until then.
 */
export const playerLock = (playerId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('chancery player'), hashtext(${playerId}))`
