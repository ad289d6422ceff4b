import { sql } from './database.ts'

/**
 * The advisory locks of the service. A lock with one number spells four letters of its name in ASCII, such as "inge"; a lock with two
 * numbers is the hash of a text, and 0 or the hash of an id. Processes of other versions use the same database: the numbers never change.
 * The bundled server has one more, in `embedded/connection.ts`.
 */

/** Held by the transaction of a batch: one at a time writes the world. */
export const ingestLock = 0x696e_6765

/** Held while facts that were set aside are retried: one process at a time. */
export const retryLock = 0x7265_7472

/** Held during a ranking round: one at a time, over all processes. */
export const roundLock = 0x726f_756e

/** Held while a snapshot is made: one process at a time. */
export const snapshotLock = 0x736e_6170

/** Held while expired events are removed: one process at a time. */
export const eventRetentionLock = 0x6576_656e

/** Held during a migration, a backup (shared) or a restore. */
export const migrationLock = 0x6368_616e

/**
 * Held while a profile is adopted: processes that start together adopt one after the other, and the second compares with the profile of
 * the first.
 */
export const profileLock = 0x7072_6f66

/** Held while deliveries are claimed: one process at a time, so that the number in flight per endpoint is exact. */
export const claimLock = 0x636c_6169

/** Held while results of deliveries are recorded (shared), or all deliveries of an endpoint are changed (exclusive). */
const deliveryLock = 0x626f_6f6b

/**
 * Takes the lock of deliveries, shared, at the beginning of a transaction that records results. It excludes transactions that change all
 * deliveries of an endpoint: they lock rows in another order, which would deadlock. It may be lost in a crash, as claims may.
 */
export const sharedDeliveryLock = sql`
  select pg_advisory_xact_lock_shared(${deliveryLock}), set_config('synchronous_commit', 'off', true)`

/** The same lock, exclusive, at the beginning of a transaction that changes all deliveries of an endpoint. */
export const exclusiveDeliveryLock = sql`select pg_advisory_xact_lock(${deliveryLock})`

/** The text of the lock that is held while a rejected batch is added to the dead-letter store. */
export const deadLettersLock = 'chancery dead letters'

/** The text of the lock that is held while an operator token is created: of two with one name the second finds the first. */
export const operatorTokenLock = 'chancery operator token'

/** The text of the lock per nation that is held while its verification codes are counted and one is inserted. */
export const codeLock = 'chancery code'

/**
 * Takes the advisory lock of a player until the end of the transaction. Everything takes it that creates or counts rows of a player, or
 * erases the player. Rows of the player that are read after it do not change until then.
 */
export const playerLock = (playerId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('chancery player'), hashtext(${playerId}))`
