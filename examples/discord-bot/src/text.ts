/**
 * Text for Discord. What players write is wrapped by `name`, which marks it; only `render` writes it out, shortened and escaped. So
 * every name is escaped, and names are shortened first where a text is too long.
 */

/** Controls, fillers, changes of direction and halves of characters; and private characters, which mark names here. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu
const spaces = /[\s\p{Z}]+/gu
/** Marks piled on one letter reach into the lines above and below. */
const piledMarks = /(\p{M}{3})\p{M}+/gu
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** One line of visible characters; empty if there are none. */
export const clean = (text: string): string =>
  text.replace(spaces, ' ').replace(invisible, '').replace(piledMarks, '$1').replace(/ {2,}/g, ' ').trim()

/** Clean text as Discord's markdown that shows exactly this text: no style, link, mention, emoji, list or heading. */
function escapeMarkdown(text: string): string {
  const escaped = text
    .replace(/[\\*_~`|<[\]]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/^[#>+-]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
    // A mention needs its word right behind the @.
    .replaceAll('@', '@\u200b')
  return rightToLeft.test(text) ? `\u2068${escaped}\u2069` : escaped
}

const [begin, end] = ['\ue000', '\ue001']

/** Text of players or of the game. */
export const name = (written: string): string => `${begin}${clean(written) || '(no name)'}${end}`
export const bold = (written: string): string => `**${name(written)}**`
export const italic = (written: string): string => `*${name(written)}*`
/** An id to copy. */
export const code = (id: string): string => `\`${id.replaceAll('`', '')}\``

const timestamp = (time: string, form: string) => `<t:${Math.floor(Date.parse(time) / 1000)}:${form}>`
export const ago = (time: string): string => timestamp(time, 'R')
export const day = (time: string): string => timestamp(time, 'D')

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
/** 1843.256 as 1,843.26. */
export const number = (value: number): string => numbers.format(value)
const compactNumbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** 75075000 as 75.1M. */
export const compact = (value: number): string => compactNumbers.format(value)
/** 1 war, 2 wars. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** At most `size` whole characters. */
function clip(text: string, size: number): string {
  const all = Array.from(graphemes.segment(text), ({ segment }) => segment)
  return all.length <= size
    ? text
    : `${all
        .slice(0, size - 1)
        .join('')
        .trimEnd()}…`
}

/** The text as markdown, each name at most `size` characters long. */
const render = (text: string, size: number): string =>
  text.replaceAll(/\ue000([^\ue001]*)\ue001/g, (_, written: string) => escapeMarkdown(clip(written, size)))

/** Lengths of names, from the longest that the API has. */
export const nameSizes = [4_000, 1_000, 500, 200, 100, 64, 48, 32, 24, 16, 12, 8]
const nameSizeMin = 8

/** The lines in at most `max` units: shortens names first, then drops the last lines. */
export function fitLines(lines: readonly string[], max: number, sizeMax = Number.POSITIVE_INFINITY): string {
  for (const size of nameSizes) {
    if (size > sizeMax) continue
    const text = lines.map(line => render(line, size)).join('\n')
    if (text.length <= max) return text
  }
  const shown = lines.map(line => render(line, nameSizeMin))
  for (let kept = lines.length - 1; kept > 0; kept -= 1) {
    const text = [...shown.slice(0, kept), `… and ${lines.length - kept} more`].join('\n')
    if (text.length <= max) return text
  }
  return `${Array.from(shown[0] ?? '')
    .slice(0, max / 2)
    .join('')}…`
}

/** For places without markdown, such as labels. */
export function plainLabel(text: string, max: number): string {
  const characters = Array.from(clean(text) || '(no name)')
  while (characters.join('').length > max) characters.pop()
  return characters.join('')
}
