import { isUtf8 } from 'node:buffer'
import { pointerStep } from '@chancery/contract'
import type { Rejection } from './batch.ts'

/** A line of the stream: its number from 1, and its text, or the reason why it cannot be read. */
export type Line = { number: number; text: string } | { number: number; problem: string }

const newline = 0x0a

/**
 * Splits a stream of bytes into lines, many at a time. Buffers one chunk and one unfinished line, and nothing of a line longer than
 * `bytesMax`.
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

const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Parses a line as JSON. Rejects text that PostgreSQL cannot store: NUL characters, and halves of surrogate pairs
 * (their escapes; unescaped they are not UTF-8).
 */
export function parseFact(text: string, line: number): { value: unknown } | Rejection {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      line,
      path: '',
      reason: `not JSON: ${error instanceof Error ? withoutQuote(error.message) : ''}`,
    }
  }
  if (suspiciousEscape.test(text)) {
    if (isTooDeep(value)) return tooDeep(line)
    const path = findUnstorable(value, '')
    if (path !== undefined)
      return { line, path, reason: 'text with a NUL character or half a surrogate pair' }
  }
  return { value }
}

/** The message without the part of the text that the engine quotes: reasons have more readers than facts. */
const withoutQuote = (message: string) =>
  message.replace(/( in JSON|, (\.\.\.)?"|^").*/s, '') || 'not a value'

const depthMax = 32

/** Whether a value is nested deeper than any fact. To walk or to write it would exhaust the stack. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth >= depthMax || Object.values(value).some(member => isTooDeep(member, depth + 1))
}

export const tooDeep = (line: number): Rejection => ({
  line,
  path: '',
  reason: 'nested deeper than any fact',
})

/** The place of the first text that cannot be stored, or undefined. */
function findUnstorable(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const found = findUnstorable(key, path) ?? findUnstorable(member, `${path}/${pointerStep(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}
