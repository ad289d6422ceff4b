/** What a terminal would obey or turn around: controls, formats such as changes of direction, halves of characters. Not the end of a line. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (text: string) =>
  text
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Writes what a terminal would obey as \u001b and the like; lines stay. JSON stays the same document. */
export const showControls = (text: string): string => text.replace(unprintable, escaped)

/** With the ends of lines shown too. */
export const oneLine = (text: string): string => showControls(text).replaceAll('\n', '\\n')

/** No longer than `lengthMax` characters. */
export function clip(text: string, lengthMax: number): string {
  const characters = Array.from(text)
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join('')}…`
}

/** The first line that holds something, as far as there is room; empty where none does. */
export function beginning(text: string, lengthMax: number): string {
  const lines = text.split(/[\r\n\u2028\u2029]+/).map(line => line.trim())
  return clip(showControls(lines.find(line => line !== '') ?? ''), lengthMax)
}
