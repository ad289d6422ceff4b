import { bare, markdown } from './markdown.ts'
import type { Embed, Field, Reply } from './reply.ts'
import { plain, type Span, type Text, text } from './text.ts'

/** What Discord takes, in UTF-16 units of what is written, markdown and all. */
const discordLimits = {
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  /** All texts of all embeds of one message. */
  message: 6000,
  embeds: 10,
} as const

/** Less of a line says nothing: then lines are left out instead. */
const lineMin = 40
const nameMin = 8

type Write = (line: Text) => string

/** The same reply, shortened where Discord would refuse it: names first, so that every line stays readable. */
export function fit(reply: Reply): Reply {
  const embeds = reply.embeds.slice(0, discordLimits.embeds).map(fitParts)
  const room = discordLimits.message - embeds.reduce((sum, embed) => sum + fixedLength(embed), 0)
  const blocks = embeds.flatMap(({ lines = [], fields = [] }) => [
    lines,
    ...fields.flatMap(field => [[field.name], field.lines]),
  ])
  const cap = levelFor(blocks.map(linesLength), room)
  return {
    ...reply,
    embeds: embeds.map(embed => ({
      ...embed,
      ...(embed.lines && { lines: fitLines(embed.lines, cap) }),
      ...(embed.fields && {
        fields: embed.fields.map(field => ({
          ...field,
          name: fitLine(field.name, cap),
          lines: fitLines(field.lines, cap),
        })),
      }),
    })),
  }
}

function fitParts(embed: Embed): Embed {
  const { title, lines, fields, footer } = embed
  return {
    ...embed,
    ...(title && { title: fitLine(title, discordLimits.title) }),
    ...(lines && { lines: fitLines(lines, discordLimits.description) }),
    ...(fields && { fields: fields.slice(0, discordLimits.fields).map(fitField) }),
    ...(footer && { footer: fitLine(footer, discordLimits.title, bare) }),
  }
}

const isBlank = (line: Text) => markdown(line).trim() === ''

/** Discord refuses a field without a name or a value. */
function fitField({ name, lines, isInline }: Field): Field {
  const given = lines.filter(line => !isBlank(line))
  return {
    name: isBlank(name) ? plain('–') : fitLine(name, discordLimits.fieldName),
    lines: given.length > 0 ? fitLines(given, discordLimits.fieldValue) : [plain('–')],
    ...(isInline && { isInline }),
  }
}

/** What every line is beside: it is short as it is. */
const fixedLength = ({ title, footer }: Embed): number =>
  markdown(title ?? []).length + bare(footer ?? []).length

/** The lines with their ends. */
export const linesLength = (lines: Text[]): number =>
  lines.reduce((sum, line) => sum + markdown(line).length + 1, lines.length > 0 ? -1 : 0)

/** How long each may be so that all fit: those that are shorter leave their room to the others. */
function levelFor(lengths: number[], room: number): number {
  let left = room
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - index))
    if (length > share) return share
    left -= length
  }
  return Number.POSITIVE_INFINITY
}

/** At most `lengthMax` units; each line gives what it can, and where that is too little the last lines go. */
export function fitLines(lines: Text[], lengthMax: number): Text[] {
  if (linesLength(lines) <= lengthMax) return lines
  for (let kept = lines.length; kept > 0; kept -= 1) {
    const rest = lines.length - kept
    const tail = rest > 0 ? [text`… and ${rest} more`] : []
    const shown = lines.slice(0, kept)
    const ends = kept - 1 + tail.length
    const lengths = shown.map(line => markdown(line).length)
    const level = levelFor(lengths, lengthMax - linesLength(tail) - ends)
    if (level >= lineMin) return [...shown.map(line => fitLine(line, level)), ...tail]
  }
  return [fitLine(lines[0] ?? [], lengthMax)]
}

/** At most `lengthMax` units of what `write` makes of it. */
export function fitLine(line: Text, lengthMax: number, write: Write = markdown): Text {
  const fits = (candidate: Text) => write(candidate).length <= lengthMax
  if (fits(line)) return line
  const withNames = largest(nameMin, longestName(line), size => fits(shortenNames(line, size)))
  if (withNames !== undefined) return shortenNames(line, withNames)
  const small = shortenNames(line, nameMin)
  const size = largest(0, plainLength(small), candidate => fits(cut(small, candidate)))
  return size === undefined ? [] : cut(small, size)
}

/** The largest whole number from `low` to `high` for which it holds, where it holds up to some number. */
function largest(low: number, high: number, holds: (value: number) => boolean): number | undefined {
  if (!holds(low)) return undefined
  let [good, bad] = [low, high + 1]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (holds(middle)) good = middle
    else bad = middle
  }
  return good
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })
const charactersOf = (of: string) => Array.from(characters.segment(of), ({ segment }) => segment)

function clip(of: string, size: number): string {
  const all = charactersOf(of)
  return all.length <= size
    ? of
    : `${all
        .slice(0, Math.max(0, size - 1))
        .join('')
        .trimEnd()}…`
}

const longestName = (line: Text) =>
  Math.max(nameMin, ...line.map(span => ('text' in span && span.isName ? span.text.length : 0)))

const shortenNames = (line: Text, size: number): Text =>
  line.map(span => ('text' in span && span.isName ? { ...span, text: clip(span.text, size) } : span))

const sizeOf = (span: Span) => ('text' in span ? charactersOf(span.text).length : 1)
const plainLength = (line: Text) => line.reduce((sum, span) => sum + sizeOf(span), 0)

/** The first `size` characters, and a sign that there were more. */
function cut(line: Text, size: number): Text {
  const kept: Text = []
  let left = size
  for (const span of line) {
    if (sizeOf(span) > left) {
      if ('text' in span && left > 0)
        kept.push({ ...span, text: charactersOf(span.text).slice(0, left).join('') })
      break
    }
    kept.push(span)
    left -= sizeOf(span)
  }
  return [...kept, { text: '…' }]
}
