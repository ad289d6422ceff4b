import type { IncomingHttpHeaders } from 'node:http'
import { namesType, type Operation, type Parameter, type ValuesFor } from '@chancery/contract'
import { ApiError } from './api-error.ts'

/** The kinds of events that `type` may name. */
export interface ParameterContext {
  eventTypes: readonly string[]
}

/** Where parameters stand in a request. */
export interface ParameterSources {
  path: Readonly<Record<string, string>>
  /** Undecoded, without its question mark. */
  query: string
  headers: IncomingHttpHeaders
}

/** What a query says of each name: its texts in order; null for a text whose percent-encoding is broken. */
type RawQuery = Map<string, (string | null)[]>

/**
 * Parses the parameters of an operation. Unknown ones are ignored.
 * @throws {ApiError} invalid_parameter, naming the parameter and what is allowed.
 */
export function parseParameters<O extends Operation>(
  operation: O,
  { path, query, headers }: ParameterSources,
  context: ParameterContext,
): ValuesFor<O> {
  const raw = parseQuery(query)
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(operation.parameters)) {
    values[name] =
      parameter.in === 'path'
        ? path[name]
        : parseOne(
            name,
            parameter,
            parameter.in === 'query' ? (raw.get(name) ?? []) : [headers[name.toLowerCase()]].flat(),
            context,
          )
  }
  return values as ValuesFor<O>
}

function parseQuery(query: string): RawQuery {
  const raw: RawQuery = new Map()
  if (query === '') return raw
  for (const part of query.split('&')) {
    const [name = '', ...rest] = part.split('=')
    const decodedName = decode(name)
    if (decodedName === null || decodedName === '') continue
    const texts = raw.get(decodedName)
    const text = decode(rest.join('='))
    if (texts) texts.push(text)
    else raw.set(decodedName, [text])
  }
  return raw
}

function decode(text: string): string | null {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

function parseOne(
  name: string,
  parameter: Parameter,
  texts: (string | null | undefined)[],
  context: ParameterContext,
): unknown {
  const { kind, schema } = parameter
  const fail = (allowed: string): never => {
    throw new ApiError('invalid_parameter', `\`${name}\` ${allowed}.`)
  }
  if (texts.length > 1) return fail('is given twice: give it once')
  const [text] = texts
  const fallback = (schema as { default?: unknown }).default
  if (text === undefined) return fallback
  if (text === null) return fail('is not percent-encoded UTF-8')
  if (text.includes('\0')) return fail('contains a NUL character')
  if (text === '' && emptyCountsAsAbsent.has(kind)) return fallback
  return parsers[kind](text, schema as Bounds, fail, context)
}

interface Bounds {
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  enum?: string[]
  items?: { enum?: string[] }
}
type Parser = (
  text: string,
  schema: Bounds,
  fail: (allowed: string) => never,
  context: ParameterContext,
) => unknown

const emptyCountsAsAbsent = new Set<Parameter['kind']>([
  'text',
  'id',
  'ids',
  'words',
  'event_types',
  'event_id',
])
const idForm = /^[A-Za-z0-9_-]{1,64}$/
const timeForm = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

const parsers: Record<Parameter['kind'], Parser> = {
  integer(text, { minimum = 0, maximum }, fail) {
    const allowed = `must be an integer from ${minimum}${maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`}`
    if (!/^[0-9]+$/.test(text)) return fail(allowed)
    // A page beyond every number is still just past the end.
    const value = Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    return value < minimum || value > (maximum ?? value) ? fail(allowed) : value
  },
  decimal(text, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }, fail) {
    const allowed = `must be a number from ${minimum} to ${maximum} with at most 4 decimals`
    if (!/^[0-9]+(\.[0-9]{1,4})?$/.test(text)) return fail(allowed)
    const value = Number(text)
    return value < minimum || value > maximum ? fail(allowed) : value
  },
  text(text, { maxLength = 200 }, fail) {
    return [...text].length > maxLength ? fail(`must have at most ${maxLength} characters`) : text
  },
  id: text => text,
  ids(text, { maxItems = 100 }, fail) {
    const ids = text.split(',')
    if (ids.length > maxItems) return fail(`must have at most ${maxItems} ids, comma separated`)
    return [...new Set(ids.filter(id => idForm.test(id)))]
  },
  word(text, schema, fail) {
    return schema.enum?.includes(text) ? text : fail(`must be one of ${schema.enum?.join(', ')}`)
  },
  words(text, { items }, fail) {
    const words = text.split(',')
    return words.every(word => items?.enum?.includes(word))
      ? words
      : fail(`must be of ${items?.enum?.join(', ')}`)
  },
  time(sent, _schema, fail) {
    // An unencoded + of an offset arrives as a space.
    const text = sent.replace(' ', '+')
    const allowed = 'must be a time like 2026-05-27T18:00:00Z'
    if (!timeForm.test(text) || text.startsWith('0000')) return fail(allowed)
    const time = new Date(text)
    // Date takes 31 February for 3 March; a time that does not exist is malformed.
    const day = Number(text.slice(8, 10))
    const isReal =
      !Number.isNaN(time.getTime()) && new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day
    return isReal && time.getUTCFullYear() > 0 && time.getUTCFullYear() < 10_000
      ? time.toISOString()
      : fail(allowed)
  },
  event_id(text, { maximum = Number.MAX_SAFE_INTEGER }, fail) {
    return /^[0-9]+$/.test(text) && Number(text) <= maximum
      ? Number(text)
      : fail(`must be the id of an event, an integer from 0 to ${maximum}`)
  },
  event_types(text, { maxItems = 100 }, fail, { eventTypes }) {
    const wanted = text.split(',')
    if (wanted.length > maxItems) return fail(`must have at most ${maxItems} kinds, comma separated`)
    const kinds = new Set<string>()
    for (const word of wanted) {
      const named = eventTypes.filter(kind => namesType(word, kind))
      if (named.length === 0)
        return fail(`must name kinds of events, or families like war.*: ${eventTypes.join(', ')}`)
      for (const kind of named) kinds.add(kind)
    }
    return [...kinds]
  },
}
