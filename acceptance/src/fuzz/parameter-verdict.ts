import type { Checker } from './checker.ts'
import type { Parameter, Schema } from './document.ts'

/** Whether the document allows a text as a parameter. `unsure` where it does not specify: both results are right. */
export type Verdict = 'good' | 'bad' | 'unsure'

/**
 * Judges a text by the schema of its parameter alone. An array is a text with commas, with or without blanks around them. A number is written in digits: whether
 * another notation counts is up to the server. No text contains a NUL character.
 */
export function verdictOf(checker: Checker, { schema, in: place }: Parameter, text: string): Verdict {
  if (text.includes('\0')) return 'bad'
  if (text === '') return emptyVerdict(schema, place)
  if (schema.type !== 'array') return plainVerdict(checker, schema, text)
  const items = text.split(',').map(item => item.trim())
  if (items.length > (schema.maxItems ?? items.length)) return items.includes('') ? 'unsure' : 'bad'
  const verdicts = items.map(item =>
    item === '' ? 'unsure' : plainVerdict(checker, schema.items ?? {}, item),
  )
  return (
    verdicts.find(verdict => verdict === 'bad') ?? verdicts.find(verdict => verdict === 'unsure') ?? 'good'
  )
}

/** What is empty may count as not given. Only a text may be empty for certain. */
const emptyVerdict = ({ type, enum: words, format }: Schema, place: Parameter['in']): Verdict =>
  type === 'string' && !words && !format && place !== 'header' ? 'good' : 'unsure'

function plainVerdict(checker: Checker, schema: Schema, text: string): Verdict {
  if (schema.type === 'integer' || schema.type === 'number') return numberVerdict(checker, schema, text)
  if (schema.type === 'boolean') return /^(true|false)$/.test(text) ? 'good' : 'bad'
  if (!checker.accepts(schema, text)) return schema.format && text.includes(' ') ? 'unsure' : 'bad'
  if (schema['x-known-words-only']) return 'unsure'
  return schema.format === 'date-time' && !ordinaryTime.test(text) ? 'unsure' : 'good'
}

/** Times that every reader takes: no leap second, no year that an offset may leave, no more than nanoseconds. */
const ordinaryTime =
  /^(?!0000|0001|9999)\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

function numberVerdict(checker: Checker, schema: Schema, text: string): Verdict {
  const value = Number(text)
  if (/^(0|[1-9]\d*)$/.test(text)) return checker.accepts(schema, value) ? 'good' : 'bad'
  const isPlain = /^(0|[1-9]\d*)\.\d+$/.test(text) && String(value) === text
  if (isPlain) return checker.accepts(schema, value) ? 'good' : 'bad'
  if (/^-[1-9]\d*(\.\d+)?$/.test(text)) return checker.accepts(schema, value) ? 'unsure' : 'bad'
  return Number.isNaN(value) && !/^\s|\s$/.test(text) ? 'bad' : 'unsure'
}
