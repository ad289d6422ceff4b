import fc from 'fast-check'
import type { Caller } from './callers.ts'
import type { Checker } from './checker.ts'
import type { Operation, Parameter } from './document.ts'
import { brokenEncodings, pathEncodings, queryEncodings, textsFor } from './parameter-texts.ts'
import { type Verdict, verdictOf } from './parameter-verdict.ts'
import type { Call, Session } from './session.ts'

/** The text of a parameter, encoded and decoded. */
interface ParameterText {
  parameter: Parameter | undefined
  name: string
  /** The name as it is written in the query, where that differs. */
  spelledName?: string
  raw: string
  /** Null where it means nothing. */
  text: string | null
}

/** One call of an operation, drawn by chance. */
export interface Draw {
  call: Call
  /** The verdict on its query and headers; and on its query alone. */
  verdict: Verdict
  queryVerdict: Verdict
  /** Known parameters that are given, by name; of those that are given twice the last, or all of a list. */
  given: Map<string, string>
  /** Names of parameters that the operation does not have. */
  unknownParameters: string[]
  /** Whether the world has what the path names. */
  idsKnown: boolean
}

const unknownNames = [
  'unknown',
  'Page',
  'page[]',
  'fields',
  '__proto__',
  'constructor',
  'callback',
  '%00',
  '',
]

/** Calls of one operation: valid, invalid and odd ones, by all callers, under every base. */
export function drawsOf(session: Session, operation: Operation, weights = callerWeights): fc.Arbitrary<Draw> {
  const { api, checker, values } = session
  const ofPlace = (place: Parameter['in']) => operation.parameters.filter(parameter => parameter.in === place)
  const ids = values.inPath(operation)
  const path = fc.tuple(
    ...ofPlace('path').map(parameter =>
      drawText(parameter, ids.length > 0 ? ids : ['2345678923'], pathEncodings),
    ),
  )
  const inQuery = ofPlace('query')
  const queryParts = inQuery.map(parameter =>
    fc.array(drawText(parameter, values.forParameter(operation, parameter), queryEncodings), {
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
    textsFor(parameter, values.forParameter(operation, parameter))
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

/** Of parameters given together. A name that is given twice is wrong, unless it is a list's; and so is one in another case or with brackets. */
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
  parameter: Parameter,
  known: readonly string[],
  encodings: readonly ((text: string) => string)[],
): fc.Arbitrary<ParameterText> {
  const { name } = parameter
  const isBracketed = parameter.in === 'query' && isList(parameter)
  const names = isBracketed ? [name, name, `${name}[]`, `${name}%5B%5D`, `${name}[0]`] : [name]
  const right = fc
    .tuple(textsFor(parameter, known), fc.constantFrom(...encodings), fc.constantFrom(...names))
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
