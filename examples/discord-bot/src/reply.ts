import { plain, type Text } from './text.ts'

/** What a user sees, as data: the same for Discord and for a terminal. */
export interface Reply {
  embeds: Embed[]
  /** Where there is more: which page this is. */
  pages?: Pages
}

export interface Pages {
  page: number
  pages: number
  /** The values of the options that ask for another page of the same. */
  again: Record<string, string>
}

export interface Embed {
  title?: Text
  /** The thing's page in the game. */
  url?: string | null
  /** #rrggbb; of the nation or the alliance that it is about. */
  color?: string | null
  /** https address of a flag. */
  picture?: string | null
  lines?: Text[]
  fields?: Field[]
  footer?: Text
}

export interface Field {
  name: Text
  lines: Text[]
  /** Small enough to stand beside others. */
  isInline?: boolean
}

/** A short field with one line. */
export const fact = (name: string, line: Text): Field => ({
  name: plain(name),
  lines: [line],
  isInline: true,
})

/** A field whose lines stand below its name. */
export const list = (name: string, lines: Text[]): Field => ({ name: plain(name), lines })

/** A reply that is a sentence. */
export const sentence = (line: Text): Reply => ({ embeds: [{ lines: [line] }] })
