import type { TSchema } from 'typebox'
import type { Deprecation } from '../classification.ts'
import type { FactResource } from '../contract.ts'
import { limits } from '../limits.ts'
import type { ParameterList } from '../profile/examples.ts'
import { type Profile, rankedAttributes } from '../profile/profile.ts'
import { count, enumOf, id, position, score, text } from '../shared-schemas.ts'

/**
 * How a parameter's text is parsed. Lists are comma-separated, with or without blanks around the commas; the parameter may be
 * repeated, and written with brackets (`ids[]=`, `ids[0]=`). All spellings of a list parse to the same values in the same order.
 * - `integer`: digits only, in the schema's range. A page may be any number; pages past the end are empty.
 * - `decimal`: digits with at most 4 decimals, in the schema's range, with `-` for a number below 0.
 * - `text`: as sent; empty counts as absent.
 * - `id`: an id; empty counts as absent. An unknown id selects nothing.
 * - `ids`: a list of up to 100 ids; unknown ids are ignored. An empty list selects nothing.
 * - `related_ids`: as `ids`, but empty counts as absent.
 * - `profile_enum`: a key of the game profile, as sent; empty counts as absent. An unknown key selects nothing.
 * - `profile_enum_list`: a list of them.
 * - `enum`: one of the schema's values. `enum_list`: a list of them.
 * - `time`: RFC 3339 with `Z` or an offset.
 * - `date_or_time`: the same, or a date, which means its start in UTC.
 * - `event_types`: a list of kinds of events or families (`war.*`).
 * - `event_id`: digits only, in the schema's range; empty counts as absent.
 */
export type ParameterKind =
  | 'integer'
  | 'decimal'
  | 'text'
  | 'id'
  | 'ids'
  | 'related_ids'
  | 'profile_enum'
  | 'profile_enum_list'
  | 'enum'
  | 'enum_list'
  | 'time'
  | 'date_or_time'
  | 'event_types'
  | 'event_id'

/** The kinds whose values are lists. */
export const listKinds = [
  'ids',
  'related_ids',
  'profile_enum_list',
  'enum_list',
  'event_types',
] as const satisfies ParameterKind[]

export type ParameterLocation = 'path' | 'query' | 'header'

export interface Parameter<T = unknown, G extends boolean = boolean> {
  in: ParameterLocation
  kind: ParameterKind
  description: string
  schema: TSchema
  /** Whether the parsed value is always present: required, or with a default. */
  isAlwaysPresent: G
  deprecated?: Deprecation
  /** The list of the game profile whose keys it accepts, and the index of the example among them. */
  profileList?: { list: ParameterList; example: number }
  /** All values that it accepts, for documents. The handler validates them. */
  profileKeys?: (profile: Profile) => string[]
  /** The fields of the listed resource that the value is compared with. Without it the resource's `store.ts` has the condition. */
  compares?: Comparison
  /** Type of the parsed value; never set. */
  readonly value?: T
}

/** `equal` to the value, one of `any` of its items, at least (`min`), at most (`max`) or `below` the value. */
export interface Comparison {
  /** An item is listed where one of them compares; a field that is a list, where one of its items does. */
  fields: readonly string[]
  by: 'equal' | 'any' | 'min' | 'max' | 'below'
  /** The fields are ids of this resource, and its field is compared. */
  of?: { resource: FactResource; field: string }
}

/** A filter by a field, or by any of several: items are listed where it compares with the value. */
export const filterBy = <P extends Parameter>(
  field: string | readonly string[],
  filter: P,
  by: Comparison['by'] = (listKinds as readonly ParameterKind[]).includes(filter.kind) ? 'any' : 'equal',
): P & { compares: Comparison } => ({ ...filter, compares: { fields: [field].flat(), by } })

/** A filter by a field of another resource, whose id is in `field`. */
export const filterByField = <P extends Parameter>(
  of: NonNullable<Comparison['of']>,
  field: string,
  filter: P,
): P & { compares: Comparison } => ({ ...filter, compares: { fields: [field], by: 'equal', of } })

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

/** Any text: what cannot be an id is an unknown id, not an error. */
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
const limitParam = (maximum: number, fallback: number) =>
  parameter<number>()(
    'query',
    'integer',
    true,
    { type: 'integer', minimum: limits.pageSizeMin, maximum, default: fallback },
    `Items on a page, from ${limits.pageSizeMin} to ${maximum}.`,
  )

export const limit = limitParam(limits.pageSizeMax, limits.pageSizeDefault)
/** Of histories, whose points are small and drawn as one curve. */
export const historyLimit = limitParam(limits.historyPageSizeMax, limits.historyPageSizeDefault)

export const searchParam = (description: string) =>
  parameter<string>()(
    'query',
    'text',
    false,
    text(limits.searchLengthMax, { example: 'valdoria' }),
    description,
  )

const idListOfKind = (kind: 'ids' | 'related_ids', description: string, example: readonly string[]) =>
  parameter<string[]>()(
    'query',
    kind,
    false,
    { type: 'array', items: id(), maxItems: limits.idsMax, example },
    description,
  )
const idListForm = `Up to ${limits.idsMax}, comma-separated or repeated; unknown ids are ignored.`

/** Ids of the items that an operation lists. */
export const idListParam = (description: string, example: readonly string[]) =>
  idListOfKind('ids', `${description} ${idListForm} An empty list selects nothing.`, example)

/** Ids of the resources that the listed items belong to. */
export const relatedIdListParam = (description: string, example: readonly string[]) =>
  idListOfKind('related_ids', `${description} ${idListForm} Empty counts as absent.`, example)

export const idParam = (description: string, example: string) =>
  parameter<string>()('query', 'id', false, id({ example }), description)

/** A key of the game profile; an unknown key selects nothing. */
export const profileEnumParam = (description: string, list: ParameterList, example: number) => ({
  ...parameter<string>()('query', 'profile_enum', false, idText(), description),
  profileList: { list, example },
})

/** Keys of the game profile; unknown ones are ignored. */
export const profileEnumListParam = (description: string, list: ParameterList, example: number) => ({
  ...parameter<string[]>()(
    'query',
    'profile_enum_list',
    false,
    { type: 'array', items: idText(), maxItems: limits.idsMax },
    `${description} ${idListForm.replace('ids', 'keys')} Empty counts as absent.`,
  ),
  profileList: { list, example },
})

/** The key of a ranked attribute; which ones there are depends on the game and on what is listed. */
export const rankedAttributeParam = (
  description: string,
  owners: readonly (keyof Profile['attributes'])[],
) => ({
  // Which of the words are accepted may depend on what is listed.
  ...parameter<string>()(
    'query',
    'text',
    false,
    { type: 'string', maxLength: 64, 'x-known-words-only': true },
    description,
  ),
  profileKeys: ({ attributes }: Profile) => [
    ...new Set(owners.flatMap(owner => rankedAttributes(attributes[owner]))),
  ],
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
    { type: 'array', items: enumOf(values), maxItems: limits.idsMax, example: values.slice(0, 2) },
    `${description} Comma-separated or repeated.`,
  )

/** A bound of the value of another parameter, which it requires. */
export const boundParam = (description: string, example: number) =>
  parameter<number>()(
    'query',
    'decimal',
    false,
    { ...score({ example }), 'x-further-rules': true },
    description,
  )

export const scoreParam = (description: string, example: number) =>
  parameter<number>()('query', 'decimal', false, score({ example }), description)

export const timeParam = (description: string) =>
  parameter<string>()(
    'query',
    'time',
    false,
    { type: 'string', format: 'date-time', example: '2026-05-27T00:00:00Z' },
    description,
  )

export const dateOrTimeParam = (description: string, example: string) =>
  parameter<string>()(
    'query',
    'date_or_time',
    false,
    { type: 'string', 'x-further-rules': true, example },
    `${description} A date such as 2026-05-01, which means its start in UTC, or a time.`,
  )

export const sequenceParam = (description: string, example: number) =>
  parameter<number>()('query', 'integer', false, count({ example }), description)

export const lastEventId = parameter<number>()(
  'header',
  'event_id',
  false,
  count({ example: 1041 }),
  'The last id that was received. The stream continues after it; takes precedence over `after`.',
)

export const eventTypes = parameter<string[]>()(
  'query',
  'event_types',
  false,
  {
    type: 'array',
    items: { type: 'string', 'x-known-words-only': true },
    maxItems: limits.idsMax,
    example: ['war.*', 'battle.fought'],
  },
  'Kinds of events (`war.declared`) or families (`war.*`), comma-separated or repeated. Unknown kinds are rejected.',
)

export const accountParam = (description: string, example: string) =>
  parameter<string>()('query', 'text', false, text(200, { example }), description)
