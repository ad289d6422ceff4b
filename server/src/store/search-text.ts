/** Folds text for comparison in any case. Code does it, not the database, so that every server folds alike. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** What a search looks through: each text on a line of its own, so that no match spans two. */
export const searchText = (...texts: string[]): string => texts.map(fold).join('\n')

/** A LIKE pattern that finds `text` anywhere, with % and _ standing for themselves. */
export const containing = (text: string): string => `%${escaped(fold(text))}%`

/** A LIKE pattern that finds what begins with `text`. */
export const beginningWith = (text: string): string => `${escaped(fold(text))}%`

/** A LIKE pattern that finds what has `text` as its first line. */
export const beginningWithLine = (text: string): string => `${escaped(fold(text))}\n%`

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')
