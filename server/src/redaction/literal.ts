/** A regular expression, of those with the flag u, that matches just this text. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
