import { type APIEmbedField, EmbedBuilder } from 'discord.js'
import { fitLines, nameSizes } from './text.ts'

/** What Discord accepts, in UTF-16 units of the markdown. */
const limits = { title: 256, description: 4096, fields: 25, fieldName: 256, fieldValue: 1024, embed: 6000 }

export interface Field {
  name: string
  lines: string[]
  inline: boolean
}

/** A short field beside others. */
export const fact = (name: string, line: string): Field => ({ name, lines: [line], inline: true })
/** Lines below a name. */
export const list = (name: string, lines: string[]): Field => ({ name, lines, inline: false })

export interface EmbedParts {
  title?: string
  url?: string | null
  /** #rrggbb. */
  color?: string | null
  thumbnail?: string | null
  lines?: string[]
  /** Undefined ones are left out. */
  fields?: (Field | undefined)[]
  /** Without names and markdown, which Discord does not render there. */
  footer?: string
}

/** An embed within Discord's limits: it shortens names, then drops lines, then fields. */
export function embed(parts: EmbedParts): EmbedBuilder {
  const fields = (parts.fields ?? []).filter(field => field !== undefined).slice(0, limits.fields)
  for (;;) {
    for (const size of nameSizes) {
      const built = build(parts, fields, size)
      if (lengthOf(built) <= limits.embed) return built
    }
    if (!fields.pop()) throw new Error('the embed is too long')
  }
}

function build(
  { title, url, color, thumbnail, lines = [], footer }: EmbedParts,
  fields: Field[],
  size: number,
) {
  const built = new EmbedBuilder()
  if (title) built.setTitle(fitLines([title], limits.title, size))
  if (url && isAddress(url)) built.setURL(url)
  if (color) built.setColor(Number.parseInt(color.slice(1), 16))
  if (thumbnail && isAddress(thumbnail)) built.setThumbnail(thumbnail)
  if (lines.length > 0) built.setDescription(fitLines(lines, limits.description, size))
  if (footer) built.setFooter({ text: footer })
  return built.setFields(
    fields.map(
      ({ name, lines, inline }): APIEmbedField => ({
        name: fitLines([name], limits.fieldName, size) || '–',
        value: fitLines(lines.filter(Boolean), limits.fieldValue, size) || '–',
        inline,
      }),
    ),
  )
}

const lengthOf = ({ data: { title, description, fields = [], footer } }: EmbedBuilder): number =>
  [title, description, footer?.text, ...fields.flatMap(({ name, value }) => [name, value])].join('').length

/** Discord rejects a whole message for one address that it cannot parse. */
const isAddress = (url: string) => /^https?:\/\/\S+$/.test(url) && URL.canParse(url)
