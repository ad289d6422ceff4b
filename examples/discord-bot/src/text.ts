import { clean, visible } from './escape.ts'

/**
 * A piece of a line. There is no markup in `text`: whoever writes it out escapes it, so nobody can forget to.
 * `isName` is what may be shortened where room is short.
 */
export type Span =
  | { text: string; style?: 'bold' | 'italic' | 'code'; isName?: true }
  | { time: string; form: 'ago' | 'day' }
  | { role: string }
  | { channel: string }

/** One line. */
export type Text = Span[]

type Piece = string | number | Span | Text

/** A line from a template: text`${name(nation.nation_name)} joined ${bold('us')}`. */
export const text = (words: TemplateStringsArray, ...pieces: Piece[]): Text =>
  words.flatMap((word, index) => [
    ...(word === '' ? [] : [{ text: word }]),
    ...(index < pieces.length ? spansOf(pieces[index] as Piece) : []),
  ])

function spansOf(piece: Piece): Text {
  if (Array.isArray(piece)) return piece
  if (typeof piece === 'object') return [piece]
  return [{ text: typeof piece === 'number' ? number(piece) : visible(piece) }]
}

/** Words of our own or of the game. */
export const plain = (words: string): Text => text`${words}`

/** Something that a player wrote. */
export const name = (written: string): Span => ({ text: clean(written) || '(no name)', isName: true })
export const bold = (written: string): Span => ({ ...name(written), style: 'bold' })
export const italic = (written: string): Span => ({ ...name(written), style: 'italic' })
/** An id to copy. */
export const code = (id: string): Span => ({ text: id.replaceAll('`', ''), style: 'code' })

export const ago = (time: string): Span => ({ time, form: 'ago' })
export const day = (time: string): Span => ({ time, form: 'day' })

/** Lines next to each other: `a · b`. Nothing where there are none. */
export const joined = (texts: Text[], between = ' · '): Text =>
  texts.flatMap((of, index) => (index === 0 ? of : [{ text: between }, ...of]))

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
/** 1843.256 as 1,843.26. */
export const number = (value: number): string => numbers.format(value)

const compactNumbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** 75075000 as 75.1M. */
export const compact = (value: number): string => compactNumbers.format(value)

/** 1 war, 2 wars. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`
