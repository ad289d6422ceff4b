/** Text for Discord. What players or the game wrote is shown through `name`, which shortens and escapes it. */
import { TimestampStyles, time } from 'discord.js'

/** Controls, fillers, changes of direction, halves of characters and private characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu
const spaces = /[\s\p{Z}]+/gu
/** Marks piled on one letter reach into the lines above and below. */
const piledMarks = /(\p{M}{3})\p{M}+/gu
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** One line of visible characters; empty if there are none. */
export const clean = (text: string): string =>
  text.replace(spaces, ' ').replace(invisible, '').replace(piledMarks, '$1').replace(/ {2,}/g, ' ').trim()

/** Markdown that shows exactly this clean text. `escapeMarkdown` of discord.js leaves links, mentions and emojis. */
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

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Whole characters, at most `max` units when they are written by `write`. */
function clip(text: string, max: number, write = (part: string) => part): string {
  if (write(text).length <= max) return write(text)
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (write(`${kept}${segment}…`).length > max) break
    kept += segment
  }
  return write(`${kept.trimEnd()}…`)
}

/** Text of players or of the game as markdown, at most `max` units long. */
export const name = (written: string, max = 100): string =>
  clip(clean(written) || '(no name)', max, escapeMarkdown)
/** For places without markdown, such as the choices of an option. */
export const plainName = (written: string, max = 100): string => clip(clean(written) || '(no name)', max)

/** The lines in at most `max` units: the last ones are dropped and counted. */
export function fitLines(lines: readonly string[], max = 1_024): string {
  const text = lines.join('\n')
  if (text.length <= max) return text
  for (let kept = lines.length - 1; kept > 0; kept -= 1) {
    const shown = [...lines.slice(0, kept), `… and ${lines.length - kept} more`].join('\n')
    if (shown.length <= max) return shown
  }
  return '…'
}

export const ago = (at: string): string => time(new Date(at), TimestampStyles.RelativeTime)
export const day = (at: string): string => time(new Date(at), TimestampStyles.LongDate)

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
/** 1843.256 as 1,843.26. */
export const number = (value: number): string => numbers.format(value)
const amounts = new Intl.NumberFormat('en', { maximumFractionDigits: 8 })
/** An amount of the currency, with all its decimals: 0.00000001. */
export const amount = (value: number): string => amounts.format(value)
const compactNumbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** 75075000 as 75.1M. */
export const compact = (value: number): string => compactNumbers.format(value)
/** 1 war, 2 wars. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

const bars = '▁▂▃▄▅▆▇█'

/** The development of a number as a line of bars, the lowest value at the bottom. */
export function curve(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const top = bars.length - 1
  return values
    .map(value => bars[high === low ? 0 : Math.round((top * (value - low)) / (high - low))])
    .join('')
}
