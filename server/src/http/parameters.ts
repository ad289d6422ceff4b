import type { IncomingHttpHeaders } from 'node:http'
import {
  comesBackExactly,
  idPattern,
  isExactDecimal,
  limits,
  listKinds,
  matchesType,
  type Operation,
  type Parameter,
  type Parameters,
  type ValuesFor,
} from '@chancery/contract'
import { ApiError, invalidParameter } from './http-error.ts'
import { editDistance } from './nearest-name.ts'

/** The event types that `type` may name. */
export interface ParameterContext {
  eventTypes: readonly string[]
}

/** The parts of a request that contain parameters. */
export interface ParameterSources {
  path: Readonly<Record<string, string>>
  /** Not decoded, without the question mark. */
  query: string
  headers: IncomingHttpHeaders
}

/**
 * Parses the parameters of an operation. Unknown ones are ignored, unless they are near misses of known ones.
 * @throws {ApiError} invalid_parameter, naming the parameter and what is allowed.
 */
export function parseParameters<O extends Operation>(
  operation: O,
  { path, query, headers }: ParameterSources,
  context: ParameterContext,
): ValuesFor<O> {
  const given = query === '' ? noQuery : readQuery(operation.parameters, query)
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(operation.parameters)) {
    values[name] =
      parameter.in === 'path'
        ? path[name]
        : parseOne(
            name,
            parameter,
            parameter.in === 'query' ? (given.get(name) ?? []) : [headers[name.toLowerCase()] ?? []].flat(),
            context,
          )
  }
  return values as ValuesFor<O>
}

/** The result for a query without parameters. */
const noQuery: ReadonlyMap<string, (string | null)[]> = new Map()

/** The undecoded value of each parameter in a query, by its decoded name, in order. */
function* pairsOf(query: string): Generator<[name: string, value: string]> {
  for (const part of query.split('&')) {
    const end = part.indexOf('=')
    const name = decode(end === -1 ? part : part.slice(0, end))
    if (name) yield [name, end === -1 ? '' : part.slice(end + 1)]
  }
}

type ListKind = (typeof listKinds)[number]

const isListKind = (kind: Parameter['kind']): kind is ListKind =>
  (listKinds as readonly Parameter['kind'][]).includes(kind)

/** The parameter that a name in a query means: list parameters may be written with brackets. */
export function parameterNamed(parameters: Parameters, name: string): string | undefined {
  if (Object.hasOwn(parameters, name)) return parameters[name]?.in === 'query' ? name : undefined
  const plain = name.replace(/\[\d{0,4}\]$/, '')
  const parameter = Object.hasOwn(parameters, plain) ? parameters[plain] : undefined
  return parameter?.in === 'query' && isListKind(parameter.kind) ? plain : undefined
}

/**
 * The texts that a query gives each parameter of an operation; null for one that is not percent-encoded UTF-8.
 * @throws {ApiError} invalid_parameter for a name that is a near miss of a parameter, and for too many unknown names.
 */
function readQuery(parameters: Parameters, query: string): Map<string, (string | null)[]> {
  const given = new Map<string, (string | null)[]>()
  const unknown = new Map<string, string>()
  for (const [written, value] of pairsOf(query)) {
    const name = parameterNamed(parameters, written)
    if (name === undefined) {
      unknown.set(lettersOf(written), written)
      if (unknown.size > unknownMax)
        throw new ApiError('invalid_parameter', `The query has more than ${unknownMax} unknown parameters.`)
      continue
    }
    const texts = given.get(name)
    if (texts) texts.push(decode(value))
    else given.set(name, [decode(value)])
  }
  rejectNearMisses(parameters, unknown)
  return given
}

/** Bounds the comparison of unknown names with known ones. */
const unknownMax = 100

/** The letters of a name that are compared: without case, separators and brackets. */
const lettersOf = (name: string) => (name.split('[', 1)[0] ?? '').replaceAll(/[_\-\s]/g, '').toLowerCase()

/**
 * The edit distance up to which an unknown name is a near miss of a parameter. Short names allow none: `ts` and `q`, which cache busters and
 * trackers add, are no near misses of `ids` and `to`.
 */
const lettersOffMax = ({ length }: string) => (length >= 5 ? 2 : length >= 3 ? 1 : 0)

/**
 * Rejects misspelled parameters, which would otherwise select everything. `unknown` maps the compared letters of a name to the name as it
 * was written.
 */
function rejectNearMisses(parameters: Parameters, unknown: ReadonlyMap<string, string>): void {
  if (unknown.size === 0) return
  const known = Object.keys(parameters)
    .filter(name => parameters[name]?.in === 'query')
    .map(name => ({ name, letters: lettersOf(name) }))
  for (const [letters, written] of unknown) {
    const [nearest] = known
      .map(({ name, letters: other }) => {
        const max = lettersOffMax(other)
        return { name, max, distance: editDistance(letters, other, max) }
      })
      .filter(({ distance, max }) => distance <= max)
      .sort((one, other) => one.distance - other.distance)
    if (!nearest) continue
    const shown = written.replaceAll(/[^\w[\]-]/g, '?')
    throw invalidParameter(
      `${nearest.name}?`,
      `Unknown parameter \`${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}\`: did you mean \`${nearest.name}\`?`,
    )
  }
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
  texts: (string | null)[],
  context: ParameterContext,
): unknown {
  const { kind } = parameter
  const schema = parameter.schema as Bounds
  const fail = (allowed: string): never => {
    throw invalidParameter(name, `\`${name}\` ${allowed}.`)
  }
  if (texts.length > 1 && !isListKind(kind)) return fail('must be given only once')
  const readable = texts.map(text => {
    if (text === null) return fail('is not percent-encoded UTF-8')
    return text.includes('\0') ? fail('contains a NUL character') : text
  })
  if (readable.length === 0) return schema.default
  if (isListKind(kind)) return parseList(kind, readable, schema, fail, context)
  if (readable[0] === '' && emptyCountsAsAbsent.has(kind)) return schema.default
  return parsers[kind](readable[0] ?? '', schema, fail)
}

/** A sorted list without duplicates, whatever the spelling, so that equal requests have one cache key. */
function parseList(
  kind: ListKind,
  texts: string[],
  schema: Bounds,
  fail: (allowed: string) => never,
  context: ParameterContext,
): string[] | undefined {
  const { maxItems = limits.idsMax } = schema
  const items = texts.flatMap(text => (text === '' ? [] : text.split(',')))
  if (Math.max(texts.length, items.length) > maxItems) return fail(`must have at most ${maxItems} values`)
  if (emptyCountsAsAbsent.has(kind) && texts.every(text => text === '')) return undefined
  const { valuesOf, allowed } = listParsers[kind](schema, context)
  const values = items.flatMap(
    (item, index) =>
      valuesOf(item.trim()) ??
      fail(`must be a comma-separated list of ${allowed}; value ${index + 1} is invalid`),
  )
  return [...new Set(values)].sort()
}

interface Bounds {
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  enum?: string[]
  items?: { enum?: string[] }
}
type Parser = (text: string, schema: Bounds, fail: (allowed: string) => never) => unknown
/** The values of one list item; undefined where it is malformed. */
type ListParser = (
  schema: Bounds,
  context: ParameterContext,
) => { valuesOf(item: string): string[] | undefined; allowed: string }

const emptyCountsAsAbsent = new Set<Parameter['kind']>([
  'text',
  'id',
  'related_ids',
  'profile_enum',
  'profile_enum_list',
  'enum_list',
  'event_types',
  'event_id',
])
const idForm = new RegExp(idPattern)
const idCharacters = '1 to 64 characters of A-Z, a-z, 0-9, _ and -'
const dateForm = /^\d{4}-\d\d-\d\d$/
const timeForm = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

const parsers: Record<Exclude<Parameter['kind'], ListKind>, Parser> = {
  integer(text, { minimum = 0, maximum }, fail) {
    const allowed = `must be an integer from ${minimum}${maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`}`
    if (!/^[0-9]+$/.test(text)) return fail(allowed)
    // Larger numbers are past the end as well.
    const value = Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    return value < minimum || value > (maximum ?? value) ? fail(allowed) : value
  },
  decimal(text, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }, fail) {
    const allowed = `must be a number from ${minimum} to ${maximum} with at most 4 decimals and 15 digits`
    if (!/^-?[0-9]+(\.[0-9]{1,4})?$/.test(text)) return fail(allowed)
    const value = Number(text)
    const isExact = isExactDecimal(value, 4) && comesBackExactly(text)
    // -0 is 0.
    return value < minimum || value > maximum || !isExact ? fail(allowed) : value + 0
  },
  text(text, { maxLength = 200 }, fail) {
    return [...text].length > maxLength ? fail(`must have at most ${maxLength} characters`) : text
  },
  id(text, _schema, fail) {
    return idForm.test(text) ? text : fail(`must be an id of ${idCharacters}`)
  },
  profile_enum: text => text,
  enum(text, schema, fail) {
    return schema.enum?.includes(text) ? text : fail(`must be one of ${schema.enum?.join(', ')}`)
  },
  time: (text, _schema, fail) => timeOf(text, 'must be a time like 2026-05-27T18:00:00Z', fail),
  date_or_time: (text, _schema, fail) =>
    timeOf(
      dateForm.test(text) ? `${text}T00:00:00Z` : text,
      'must be a date like 2026-05-27 or a time like 2026-05-27T18:00:00Z',
      fail,
    ),
  event_id(text, { maximum = Number.MAX_SAFE_INTEGER }, fail) {
    return /^[0-9]+$/.test(text) && Number(text) <= maximum
      ? Number(text)
      : fail(`must be the id of an event, an integer from 0 to ${maximum}`)
  },
}

/** A time in UTC. `allowed` describes the form in the error message. */
function timeOf(sent: string, allowed: string, fail: (allowed: string) => never): string {
  // An unencoded + of an offset arrives as a space.
  const text = sent.replace(' ', '+')
  if (!timeForm.test(text) || text.startsWith('0000')) return fail(allowed)
  const time = new Date(text)
  // Date reads 31 February as 3 March.
  const day = Number(text.slice(8, 10))
  const isReal =
    !Number.isNaN(time.getTime()) && new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day
  return isReal && time.getUTCFullYear() > 0 && time.getUTCFullYear() < 10_000
    ? time.toISOString()
    : fail(allowed)
}

/** Empty ids are ignored: joined lists may end with a comma. */
const idListParser: ListParser = () => ({
  valuesOf: item => (item === '' ? [] : idForm.test(item) ? [item] : undefined),
  allowed: `ids of ${idCharacters}`,
})

const listParsers: Record<ListKind, ListParser> = {
  ids: idListParser,
  related_ids: idListParser,
  profile_enum_list: () => ({ valuesOf: item => (item === '' ? [] : [item]), allowed: 'keys' }),
  enum_list: ({ items }) => ({
    valuesOf: item => (items?.enum?.includes(item) ? [item] : undefined),
    allowed: `the values ${items?.enum?.join(', ')}`,
  }),
  event_types: (_schema, { eventTypes }) => ({
    valuesOf(item) {
      const named = eventTypes.filter(kind => matchesType(item, kind))
      return named.length > 0 ? named : undefined
    },
    allowed: `event types, or families such as war.* (${eventTypes.join(', ')})`,
  }),
}
