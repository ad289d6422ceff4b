/** Advisory locks that more than one part of the service takes, or waits for. */

/** One batch at a time writes the world: whoever applies holds this advisory lock until it commits. */
export const ingestLock = 0x696e_6765

/** One ranking round at a time, whichever process runs it. */
export const roundLock = 0x726f_756e
