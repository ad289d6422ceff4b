import type { Embed, Field, Reply } from '../reply.ts'
import type { Span, Text } from '../text.ts'
import { padTo, widthOf, wrap } from './width.ts'

export interface Screen {
  columns: number
  /** Whether it shows colours. */
  hasColor: boolean
  now: Date
}

const headingMin = 12

/** A reply as lines of a terminal: beside a bar in the embed's colour. */
export function writeReply(reply: Reply, screen: Screen): string {
  const blocks = reply.embeds.map(embed => writeEmbed(embed, reply, screen))
  return blocks.join('\n\n')
}

function writeEmbed(embed: Embed, { pages }: Reply, screen: Screen): string {
  const room = screen.columns - 4
  const written = (line: Text) => wrap(line.map(span => word(span, screen.now)).join(''), room)
  const { title, url, lines = [], fields = [], footer } = embed
  const parts = [
    [...(title ? written(title).map(line => strong(line, screen)) : []), ...(url ? wrap(url, room) : [])],
    lines.flatMap(line => {
      const [first = '', ...rest] = written(line)
      // A list hangs, a paragraph does not.
      return [first, ...rest.map(part => (lines.length > 1 ? `  ${part}` : part))]
    }),
    ...fieldBlocks(fields, room, screen),
    [
      ...(footer ? written(footer) : []),
      ...(pages && pages.pages > 1 ? [`Page ${pages.page} of ${pages.pages}: next, back or page N`] : []),
    ].map(line => faint(line, screen)),
  ].filter(part => part.length > 0)
  const bar = paint('▌', embed.color, screen)
  return parts
    .flatMap((part, index) => (index === 0 ? part : ['', ...part]))
    .map(line => `${bar} ${line}`.trimEnd())
    .join('\n')
}

/** Short fields side by side with their names; others below theirs. */
function fieldBlocks(fields: Field[], room: number, screen: Screen): string[][] {
  const inWords = (line: Text) => line.map(span => word(span, screen.now)).join('')
  const width = Math.max(headingMin, ...fields.filter(isShort).map(({ name }) => widthOf(inWords(name)))) + 2
  const blocks: string[][] = []
  let wasShort = false
  for (const field of fields) {
    const heading = inWords(field.name)
    const lines = field.lines.map(inWords)
    if (isShort(field)) {
      const [first = '', ...rest] = lines.flatMap(line => wrap(line, room - width))
      const rows = [faint(padTo(heading, width), screen) + first, ...rest.map(of => ' '.repeat(width) + of)]
      if (wasShort) blocks.at(-1)?.push(...rows)
      else blocks.push(rows)
    } else {
      const headings = wrap(heading, room).map(line => strong(line, screen))
      blocks.push([...headings, ...lines.flatMap(line => hanging(line, room))])
    }
    wasShort = isShort(field)
  }
  return blocks
}

/** Indented, and further from the second line on. */
const hanging = (line: string, room: number): string[] =>
  wrap(line, room - 4).map((part, index) => `${index === 0 ? '  ' : '    '}${part}`)

const isShort = (field: Field) => field.isInline === true

function word(span: Span, now: Date): string {
  if ('time' in span) return span.form === 'ago' ? ago(span.time, now) : span.time.slice(0, 10)
  if ('role' in span) return `@${span.role}`
  if ('channel' in span) return `#${span.channel}`
  return span.text
}

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** As Discord writes it: 3 hours ago, in 2 days. */
function ago(time: string, now: Date): string {
  const seconds = (Date.parse(time) - now.getTime()) / 1000
  for (const [unit, size] of steps)
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  return relative.format(Math.round(seconds), 'second')
}

const paint = (of: string, color: string | null | undefined, { hasColor }: Screen): string => {
  if (!hasColor || !color) return of
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16))
  return `\u001b[38;2;${red};${green};${blue}m${of}\u001b[39m`
}
const strong = (of: string, { hasColor }: Screen) => (hasColor ? `\u001b[1m${of}\u001b[22m` : of)
const faint = (of: string, { hasColor }: Screen) => (hasColor ? `\u001b[2m${of}\u001b[22m` : of)
