/** Folds text for comparison without case. Not in the database, so that the result does not depend on its locale. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The text that is searched: each part on a line of its own, so that no match spans two. */
export const searchText = (...texts: string[]): string => texts.map(fold).join('\n')

/** A LIKE pattern that finds `text` anywhere, with % and _ escaped. */
export const containing = (text: string): string => `%${escaped(fold(text))}%`

/** A LIKE pattern for texts that begin with `text`. */
export const beginningWith = (text: string): string => `${escaped(fold(text))}%`

/** A LIKE pattern for texts whose first line is `text`. */
export const beginningWithLine = (text: string): string => `${escaped(fold(text))}\n%`

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')
