const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Columns that a terminal takes for it. */
export const widthOf = (text: string): number =>
  Array.from(characters.segment(text), ({ segment }) => (wide.test(segment) ? 2 : 1)).reduce<number>(
    (sum, width) => sum + width,
    0,
  )

export const padTo = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - widthOf(text)))

/** Lines of at most so many columns, broken between words where there are any. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap(of => pieces(of, columns))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= columns) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

/** A word that is wider than a line, in parts. */
function pieces(word: string, columns: number): string[] {
  if (widthOf(word) <= columns) return [word]
  const parts: string[] = []
  let part = ''
  for (const { segment } of characters.segment(word)) {
    if (widthOf(part + segment) > columns) {
      parts.push(part)
      part = ''
    }
    part += segment
  }
  return [...parts, part]
}
