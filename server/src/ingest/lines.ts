import { isUtf8 } from 'node:buffer'

/** A line of the stream: its number from 1, and its text or why it has none. */
export type Line = { number: number; text: string } | { number: number; problem: string }

const newline = 0x0a

/**
 * Cuts a stream of bytes into lines, many at a time. Holds one chunk and one unfinished line, and of a line longer than
 * `bytesMax` nothing.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Line[]> {
  let number = 0
  let isSkipping = false
  let rest: Buffer = Buffer.alloc(0)

  const take = (bytes: Buffer): Line => {
    number += 1
    if (bytes.length > bytesMax) return { number, problem: `the line is longer than ${bytesMax} bytes` }
    return isUtf8(bytes)
      ? { number, text: bytes.toString('utf8') }
      : { number, problem: 'the line is not UTF-8' }
  }

  for await (const part of input) {
    const bytes =
      rest.length > 0
        ? Buffer.concat([rest, part])
        : Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    const lines: Line[] = []
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      if (isSkipping) {
        number += 1
        lines.push({ number, problem: `the line is longer than ${bytesMax} bytes` })
        isSkipping = false
      } else {
        lines.push(take(bytes.subarray(start, end)))
      }
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length > bytesMax) {
      isSkipping = true
      rest = Buffer.alloc(0)
    }
    if (isSkipping) rest = Buffer.alloc(0)
    if (lines.length > 0) yield lines
  }
  if (isSkipping) yield [{ number: number + 1, problem: `the line is longer than ${bytesMax} bytes` }]
  else if (rest.length > 0) yield [take(rest)]
}
