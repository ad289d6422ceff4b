import Type, { type Static, type TSchema } from 'typebox'

/** Schema keywords that every shape takes. Units, ranges and examples are part of the promise. */
export interface About {
  description?: string
  example?: unknown
  default?: unknown
}

/** Copies a schema with more keywords. Keeps the hidden properties that TypeBox stores its refinements in. */
export function annotate<S extends TSchema>(schema: S, notes: Record<string, unknown>): S {
  const descriptors = Object.getOwnPropertyDescriptors(schema)
  return Object.assign(Object.create(Object.prototype, descriptors) as S, notes)
}

/** The same shape, or `null`: none, or not known to the game. Written as a type list, which serializers compile without trying variants. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  return annotate(schema, {
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  }) as unknown as ReturnType<typeof Type.Unsafe<Static<S> | null>>
}

/** One of a fixed list of words. */
export function oneOf<const V extends string>(values: readonly V[], about: About = {}) {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], ...about })
}

const idPattern = '^[A-Za-z0-9_-]{1,64}$'

/** An id that the game chooses. Opaque; safe in a URL. */
export const id = (about: About = {}) => Type.String({ pattern: idPattern, ...about })

/** RFC 3339 in UTC with `Z`, to the microsecond at most. */
export const time = (about: About = {}) =>
  Type.String({
    format: 'date-time',
    pattern: '^(?!0000)\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$',
    ...about,
  })

/** Text of a bounded number of UTF-16 units. */
export const text = (maxLength: number, about: About = {}) => Type.String({ maxLength, ...about })

/** A name: text that is never empty. */
export const name = (maxLength: number, about: About = {}) =>
  Type.String({ minLength: 1, maxLength, ...about })

/** A whole number from 0 to 2^53-1, the largest that every JSON reader keeps exactly. */
export const count = (about: About = {}) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...about })

const decimals = 4
// A nullable decimal is refined too: null, and what the other keywords refuse, are none of this check's business.
const hasFewDecimals = (value: unknown) =>
  typeof value !== 'number' || Number(value.toFixed(decimals)) === value

/** A number of at most 4 decimals, from `minimum` (default 0) to `maximum` (default a thousand million). */
export const decimal = (about: About & { minimum?: number; maximum?: number } = {}) =>
  Type.Refine(
    Type.Number({ minimum: 0, maximum: 1_000_000_000, ...about, 'x-decimals': decimals }),
    hasFewDecimals,
    () => `must have at most ${decimals} decimals`,
  )

/** A position in an order: 1 is the first. */
export const position = (about: About = {}) => Type.Integer({ minimum: 1, ...about })

/** A whole number for each of the given words: `{ "tanks": 12 }`. Words that are missing count as none. */
export function countsBy(words: readonly { key: string }[], about: About = {}) {
  const properties = Object.fromEntries(words.map(({ key }) => [key, count()]))
  return Type.Unsafe<Record<string, number>>({
    type: 'object',
    properties,
    additionalProperties: false,
    ...about,
  })
}

/** One of the words of the game profile; any word where the profile lists none. */
export function wordOf(words: readonly { key: string }[], about: About = {}) {
  return words.length > 0
    ? Type.Unsafe<string>({ type: 'string', enum: words.map(({ key }) => key), ...about })
    : Type.String({ minLength: 1, maxLength: 64, ...about })
}

/** An object with exactly these members. */
export function shape<P extends Record<string, TSchema>>(properties: P, about: About = {}) {
  return Type.Object(properties, { additionalProperties: false, ...about })
}

/** A list of things of one shape. */
export const listOf = <S extends TSchema>(items: S, about: About & { maxItems?: number } = {}) =>
  Type.Array(items, { ...about })

/** A colour as #rrggbb. */
export const color = () => Type.String({ pattern: '^#[0-9a-f]{6}$' })

/** The address of a picture; https, so that a page may show it anywhere. */
export const pictureUrl = () => Type.String({ pattern: '^https://', maxLength: 500 })
