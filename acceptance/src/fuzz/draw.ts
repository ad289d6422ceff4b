import fc from 'fast-check'
import type { Caller } from './callers.ts'
import type { Checker } from './checker.ts'
import type { Operation, Parameter, Schema } from './document.ts'
import { brokenEncodings, pathEncodings, queryEncodings } from './odd-texts.ts'
import type { Call, Session } from './session.ts'
import { textsFor } from './values.ts'

/** The text of a parameter, encoded and decoded. */
interface ParameterText {
  parameter: Parameter | undefined
  name: string
  /** The name in the query, if it differs. */
  spelledName?: string
  raw: string
  /** Null if it cannot be decoded. */
  text: string | null
}

/** A random call of an operation. */
export interface Draw {
  call: Call
  /** The verdict on its query and headers; and on its query alone. */
  verdict: Verdict
  queryVerdict: Verdict
  /** Known parameters by name; of repeated ones the last, or all of a list. */
  given: Map<string, string>
  /** Names of parameters that the operation does not have. */
  unknownParameters: string[]
  /** Whether the ids of the path exist. */
  idsKnown: boolean
}

const unknownNames = ['', ...'unknown Page page[] fields __proto__ constructor callback %00'.split(' ')]

/** Calls of one operation: valid, invalid and odd ones, by all callers, under every base. */
export function drawsOf(session: Session, operation: Operation, weights = callerWeights): fc.Arbitrary<Draw> {
  const { api, checker, values } = session
  const ofPlace = (place: Parameter['in']) => operation.parameters.filter(parameter => parameter.in === place)
  const ids = values.inPath(operation)
  const path = fc.tuple(
    ...ofPlace('path').map(parameter =>
      drawText(session, parameter, ids.length > 0 ? ids : ['2345678923'], pathEncodings),
    ),
  )
  const inQuery = ofPlace('query')
  const queryParts = inQuery.map(parameter =>
    fc.array(drawText(session, parameter, values.forParameter(operation, parameter), queryEncodings), {
      minLength: 1,
      maxLength: isList(parameter) ? 2 : 1,
    }),
  )
  const query = fc.tuple(
    fc.subarray(queryParts, { maxLength: Math.min(4, queryParts.length) }).chain(parts => fc.tuple(...parts)),
    maybe(
      7,
      fc.oneof(
        unknown.map(it => [it]),
        ...queryParts,
      ),
    ),
  )
  const headers = ofPlace('header').map(parameter =>
    textsFor(session, parameter, values.forParameter(operation, parameter))
      .map(text => text.replaceAll(/[^\x21-\x7e]/g, ''))
      .map((text): ParameterText => ({ parameter, name: parameter.name, raw: text, text })),
  )
  return fc
    .record({
      base: fc.constantFrom(...api.bases),
      caller: drawnCaller(session.callers, weights),
      path,
      query: query.map(([parts, more]) => [...parts, ...more].flat()),
      headers: fc.tuple(...headers.map(header => maybe(4, header))),
    })
    .map(({ base, caller, path, query, headers }): Draw => {
      const sentHeaders = headers.flat()
      const known = [...query, ...sentHeaders].filter(({ parameter }) => parameter)
      const filled = path.reduce(
        (target, { name, raw }) => target.replace(`{${name}}`, () => raw),
        operation.path,
      )
      const search = query.map(({ name, spelledName = name, raw }) => `${spelledName}=${raw}`).join('&')
      return {
        call: {
          method: operation.method,
          target: `${base}${filled}${search === '' ? '' : `?${search}`}`,
          caller,
          headers: Object.fromEntries(sentHeaders.map(({ name, raw }) => [name, raw])),
        },
        verdict: combinedVerdict(checker, operation, [...query, ...sentHeaders]),
        queryVerdict: combinedVerdict(checker, operation, query),
        given: new Map(joinLists(known).map(({ name, text }) => [name, text ?? ''])),
        unknownParameters: query.filter(({ parameter }) => !parameter).map(({ name }) => name),
        idsKnown: path.every(({ text }) => text !== null && ids.includes(text)),
      }
    })
}

const isList = ({ schema }: Parameter) => schema.type === 'array'

/** Repeated parameters of a list are joined by commas; one that cannot be decoded invalidates all. */
function joinLists(known: readonly ParameterText[]): ParameterText[] {
  const lists = Map.groupBy(known, ({ parameter, name }) =>
    parameter && isList(parameter) ? name : undefined,
  )
  return [...lists].flatMap(([name, written]) => {
    const [first] = written
    if (name === undefined || !first || written.length === 1) return written
    const texts = written.map(({ text }) => text)
    return [{ ...first, text: texts.includes(null) ? null : texts.join(',') }]
  })
}

/** The verdict on all parameters. A repeated name is invalid, unless it is a list's, and so is a name in another case or with brackets. */
function combinedVerdict(
  checker: Checker,
  { parameters }: Operation,
  written: readonly ParameterText[],
): Verdict {
  const known = joinLists(written.filter(({ parameter }) => parameter))
  const verdicts = known.map(({ parameter, text }) =>
    parameter && text !== null ? verdictOf(checker, parameter, text) : 'bad',
  )
  const isLikeKnown = ({ name }: ParameterText) =>
    parameters.some(
      ({ in: place, name: other }) => place === 'query' && name.replace('[]', '').toLowerCase() === other,
    )
  if (written.some(each => !each.parameter && isLikeKnown(each))) return 'bad'
  const names = new Set(known.map(({ name }) => name))
  if (names.size < known.length || verdicts.includes('bad')) return 'bad'
  return verdicts.includes('unsure') ? 'unsure' : 'good'
}

const maybe = <T>(oneIn: number, some: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: oneIn - 1, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: some.map(it => [it]) },
  )

const callerWeights = { known: 6, anonymous: 4, wrong: 1 }

/** Half of the calls have a valid key. */
export function drawnCaller(
  callers: readonly Caller[],
  weights: Record<Caller['kind'], number> = callerWeights,
): fc.Arbitrary<Caller> {
  const kinds = Map.groupBy(callers, ({ kind }) => kind)
  return fc.oneof(
    ...[...kinds].map(([kind, some]) => ({ weight: weights[kind], arbitrary: fc.constantFrom(...some) })),
  )
}

function drawText(
  session: Session,
  parameter: Parameter,
  known: readonly string[],
  encodings: readonly ((text: string) => string)[],
): fc.Arbitrary<ParameterText> {
  const { name } = parameter
  const isBracketed = parameter.in === 'query' && isList(parameter)
  const names = isBracketed ? [name, name, `${name}[]`, `${name}%5B%5D`, `${name}[0]`] : [name]
  const right = fc
    .tuple(textsFor(session, parameter, known), fc.constantFrom(...encodings), fc.constantFrom(...names))
    .map(
      ([text, encode, spelledName]): ParameterText => ({
        parameter,
        name,
        spelledName,
        raw: encode(text),
        text,
      }),
    )
  const broken = fc
    .constantFrom(...brokenEncodings)
    .map((raw): ParameterText => ({ parameter, name, raw, text: null }))
  return fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: broken })
}

const unknown = fc
  .tuple(fc.constantFrom(...unknownNames), fc.constantFrom('', '1', 'x', '%00', '%zz', 'a=b'))
  .map(([name, raw]): ParameterText => ({ parameter: undefined, name, raw, text: raw }))

/** Whether the document allows a text as a parameter. `unsure` if it does not specify: both results are correct. */
export type Verdict = 'good' | 'bad' | 'unsure'

/**
 * Judges a text by the schema of its parameter alone. An array is a text with commas, with or without blanks around them. A number is written in digits: whether
 * another notation counts is up to the server. No text contains a NUL character.
 */
function verdictOf(checker: Checker, parameter: Parameter, text: string): Verdict {
  if (text.includes('\0')) return 'bad'
  const verdict = verdictOfSchema(checker, parameter, text)
  return verdict === 'good' && parameter.schema['x-further-rules'] ? 'unsure' : verdict
}

function verdictOfSchema(checker: Checker, { schema, in: place }: Parameter, text: string): Verdict {
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

/** An empty parameter may count as omitted. Only a text may be empty for certain. */
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
  // Numbers of more digits may be read as other ones.
  if (text.length > 16) return 'unsure'
  if (isPlain) return checker.accepts(schema, value) ? 'good' : 'bad'
  if (/^-[1-9]\d*(\.\d+)?$/.test(text)) return checker.accepts(schema, value) ? 'unsure' : 'bad'
  return Number.isNaN(value) && !/^\s|\s$/.test(text) ? 'bad' : 'unsure'
}
