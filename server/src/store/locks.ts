/** One batch at a time writes the world: whoever applies holds this advisory lock until it commits. */
export const ingestLock = 0x696e_6765
