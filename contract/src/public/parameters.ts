import type { TSchema } from 'typebox'
import type { Deprecation } from '../classification.ts'
import { limits } from '../limits.ts'
import type { ParameterList } from '../profile/examples.ts'
import { count, decimal, enumOf, id, position, text } from '../shared-schemas.ts'

/**
 * How a parameter's text becomes a value. Lists are comma separated, with or without blanks around the commas; the parameter may be
 * repeated, and written with brackets (`ids[]=`, `ids[0]=`). All spellings of a list parse to the same values in the same order.
 * - `integer`: digits only, in the schema's range. A page may be any number: beyond the end is an empty page.
 * - `decimal`: digits with at most 4 decimals.
 * - `text`: as sent; empty counts as not given.
 * - `id`: an id; empty counts as not given. One that names nothing selects nothing.
 * - `ids`: a list of up to 100 ids; ids that name nothing are left out. An empty list selects nothing.
 * - `related_ids`: as `ids`; but empty counts as not given.
 * - `profile_enum`: a key of the game profile, as sent; empty counts as not given. An unknown key selects nothing.
 * - `enum`: one of the schema's values. `enum_list`: a list of them.
 * - `time`: RFC 3339 with `Z` or an offset.
 * - `event_types`: a list of kinds of events or families (`war.*`).
 * - `event_id`: digits only, in the schema's range; empty counts as not given.
 */
export type ParameterKind =
  | 'integer'
  | 'decimal'
  | 'text'
  | 'id'
  | 'ids'
  | 'related_ids'
  | 'profile_enum'
  | 'enum'
  | 'enum_list'
  | 'time'
  | 'event_types'
  | 'event_id'

/** The kinds whose values are lists. */
export const listKinds = ['ids', 'related_ids', 'enum_list', 'event_types'] as const satisfies ParameterKind[]

export type ParameterLocation = 'path' | 'query' | 'header'

export interface Parameter<T = unknown, G extends boolean = boolean> {
  in: ParameterLocation
  kind: ParameterKind
  description: string
  schema: TSchema
  /** Whether the operation always has a value: required, or with a default. */
  isAlwaysPresent: G
  deprecated?: Deprecation
  /** The list of the game profile whose words it takes, and the place of the one that stands as its example. */
  profileList?: { list: ParameterList; example: number }
  /** Type of the parsed value; never set. */
  readonly value?: T
}

export type Parameters = Record<string, Parameter>

/** The values that an operation's parameters parse to. */
export type ValuesOf<P extends Parameters> = {
  [K in keyof P]: P[K] extends Parameter<infer T, infer G> ? (G extends true ? T : T | undefined) : never
}

function parameter<T>() {
  return <G extends boolean>(
    place: ParameterLocation,
    kind: ParameterKind,
    isAlwaysPresent: G,
    schema: TSchema,
    description: string,
  ): Parameter<T, G> => ({ in: place, kind, isAlwaysPresent: isAlwaysPresent, schema, description })
}

/** Of any length and form: what cannot be one names nothing, and is no error. */
const idText = (example?: string) => ({ type: 'string', ...(example === undefined ? {} : { example }) })

export const pathIdParam = (description: string, example: string) =>
  parameter<string>()('path', 'id', true, idText(example), description)

export const pathTextParam = (description: string, example: string) =>
  parameter<string>()('path', 'text', true, idText(example), description)

export const page = parameter<number>()(
  'query',
  'integer',
  true,
  position({ default: limits.pageFirst }),
  'Page to read, from 1. A page past the end is empty.',
)
export const limit = parameter<number>()(
  'query',
  'integer',
  true,
  {
    type: 'integer',
    minimum: limits.pageSizeMin,
    maximum: limits.pageSizeMax,
    default: limits.pageSizeDefault,
  },
  `Items on a page, from ${limits.pageSizeMin} to ${limits.pageSizeMax}.`,
)

export const searchParam = (description: string) =>
  parameter<string>()(
    'query',
    'text',
    false,
    text(limits.searchLengthMax, { example: 'valdoria' }),
    description,
  )

const idListOfKind = (kind: 'ids' | 'related_ids', description: string, example: string) =>
  parameter<string[]>()(
    'query',
    kind,
    false,
    { type: 'array', items: id({ example }), maxItems: limits.idsMax },
    description,
  )
const idListForm = `Up to ${limits.idsMax}, comma separated or repeated; ids that name nothing are left out.`

/** Ids of the things that an operation lists. */
export const idListParam = (description: string, example: string) =>
  idListOfKind('ids', `${description} ${idListForm} An empty list selects nothing.`, example)

/** Ids of things that those which an operation lists belong to. */
export const relatedIdListParam = (description: string, example: string) =>
  idListOfKind('related_ids', `${description} ${idListForm} Empty counts as not given.`, example)

export const idParam = (description: string, example: string) =>
  parameter<string>()('query', 'id', false, id({ example }), description)

/** A word of the game profile; one that it does not have selects nothing. */
export const profileEnumParam = (description: string, list: ParameterList, example: number) => ({
  ...parameter<string>()('query', 'profile_enum', false, idText(), description),
  profileList: { list, example },
})

export const enumParam = <const V extends string>(values: readonly V[], description: string) =>
  parameter<V>()('query', 'enum', false, enumOf(values), description)

export const enumParamWithDefault = <const V extends string>(
  values: readonly V[],
  fallback: V,
  description: string,
) => parameter<V>()('query', 'enum', true, enumOf(values, { default: fallback }), description)

export const enumListParam = <const V extends string>(values: readonly V[], description: string) =>
  parameter<V[]>()(
    'query',
    'enum_list',
    false,
    { type: 'array', items: enumOf(values), maxItems: limits.idsMax },
    `${description} Comma separated or repeated.`,
  )

export const decimalParam = (description: string) =>
  parameter<number>()('query', 'decimal', false, decimal(), description)

export const timeParam = (description: string) =>
  parameter<string>()(
    'query',
    'time',
    false,
    { type: 'string', format: 'date-time', example: '2026-05-27T00:00:00Z' },
    description,
  )

export const sequenceParam = (description: string) =>
  parameter<number>()('query', 'integer', false, count(), description)

export const lastEventId = parameter<number>()(
  'header',
  'event_id',
  false,
  count({ example: 1041 }),
  'The last id that was read. Goes on after it, and wins over `after`.',
)

export const eventTypes = parameter<string[]>()(
  'query',
  'event_types',
  false,
  {
    type: 'array',
    items: { type: 'string', example: 'war.declared', 'x-known-words-only': true },
    maxItems: limits.idsMax,
  },
  'Kinds of events (`war.declared`) or families (`war.*`), comma separated or repeated. One that the game does not have is refused.',
)

export const accountParam = (description: string) =>
  parameter<string>()('query', 'text', false, text(200), description)
