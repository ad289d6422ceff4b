import { pointerStep } from '@chancery/contract'
import type { Rejection } from './batch.ts'

const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Parses a line as JSON. Text that no database can keep is refused here: NUL characters, and halves of surrogate pairs
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
    const path = unkeepable(value, '')
    if (path !== undefined)
      return { line, path, reason: 'text with a NUL character or half a surrogate pair' }
  }
  return { value }
}

/** What is wrong, without the piece of the text that the engine quotes: reasons are read by more people than facts. */
const withoutQuote = (message: string) =>
  message.replace(/( in JSON|, (\.\.\.)?"|^").*/s, '') || 'not a value'

const depthMax = 32

/** Whether a value is nested deeper than any fact is. Walking all of it, or writing it, would exhaust the stack. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth >= depthMax || Object.values(value).some(member => isTooDeep(member, depth + 1))
}

export const tooDeep = (line: number): Rejection => ({
  line,
  path: '',
  reason: 'nested deeper than any fact',
})

/** The place of the first text that cannot be kept, or undefined. */
function unkeepable(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const found = unkeepable(key, path) ?? unkeepable(member, `${path}/${pointerStep(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}
