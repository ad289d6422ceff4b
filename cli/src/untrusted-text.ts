/** Characters that control a terminal: controls, formats such as changes of direction, lone surrogates. Not the line feed. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (text: string) =>
  text
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Escapes characters that control a terminal as \u001b and the like, but line feeds. A JSON document keeps its meaning. */
export const sanitizeForTerminal = (text: string): string => text.replace(unprintable, escaped)

/** Escapes line feeds too. */
export const oneLine = (text: string): string => sanitizeForTerminal(text).replaceAll('\n', '\\n')

/** Truncates to `lengthMax` characters. */
export function clip(text: string, lengthMax: number): string {
  const characters = Array.from(text)
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join('')}…`
}

/** The first line that is not blank, escaped and truncated; empty if all are blank. */
export function firstLine(text: string, lengthMax: number): string {
  const lines = text.split(/[\r\n\u2028\u2029]+/).map(line => line.trim())
  return clip(sanitizeForTerminal(lines.find(line => line !== '') ?? ''), lengthMax)
}
