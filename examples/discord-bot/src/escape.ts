/** What nobody sees, or what turns other text around: controls, fillers, changes of direction, halves of characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu
const spaces = /[\s\p{Z}]+/gu
/** Marks piled on one letter reach into the lines above and below. */
const piledMarks = /(\p{M}{3})\p{M}+/gu

/** One line of visible characters. */
export const visible = (text: string): string =>
  text.replace(spaces, ' ').replace(invisible, '').replace(piledMarks, '$1').replace(/ {2,}/g, ' ')

/** What a stranger wrote, so; empty where nothing of it can be seen. */
export const clean = (text: string): string => visible(text).trim()

/** Letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const isolate = '\u2068'
const endOfIsolate = '\u2069'
/** A mention needs its word right behind the @. */
const zeroWidthSpace = '\u200b'

/** Clean text as Discord's markdown that shows exactly this text: no style, link, mention, emoji, list or heading. */
export function escapeMarkdown(text: string): string {
  const escaped = text
    .replace(/[\\*_~`|<[\]]/g, '\\$&')
    // An address that is not one for Discord is not a link.
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/^[#>+-]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
    .replaceAll('@', `@${zeroWidthSpace}`)
  return rightToLeft.test(text) ? isolate + escaped + endOfIsolate : escaped
}
