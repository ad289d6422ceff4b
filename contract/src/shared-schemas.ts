import Type, { type Static, type TSchema } from 'typebox'

/** Keywords that every schema accepts. */
export interface SchemaOptions {
  description?: string
  example?: unknown
  default?: unknown
}

/** Copies a schema with more keywords. Keeps the hidden properties in which TypeBox stores refinements. */
export function annotate<S extends TSchema>(schema: S, notes: Record<string, unknown>): S {
  const descriptors = Object.getOwnPropertyDescriptors(schema)
  return Object.assign(Object.create(Object.prototype, descriptors) as S, notes)
}

/** The same schema, or `null`: none, or not known to the game. A list of types, which serializers compile without trying variants. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  return annotate(schema, {
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  }) as unknown as ReturnType<typeof Type.Unsafe<Static<S> | null>>
}

/** One of a fixed list of values. */
export function enumOf<const V extends string>(values: readonly V[], about: SchemaOptions = {}) {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], ...about })
}

/** Ids of entities and players, as a JSON Schema pattern. */
export const idPattern = '^[A-Za-z0-9_-]{1,64}$'

/** Text that matches a pattern. `rule` describes the pattern in error messages. */
export const patternString = (
  pattern: string,
  rule: string,
  { format, ...about }: SchemaOptions & { format?: string; maxLength?: number } = {},
) => Type.String({ ...(format === undefined ? {} : { format }), pattern, 'x-rule': rule, ...about })

/** An id that the game chooses. Opaque; safe in a URL. */
export const id = (about: SchemaOptions = {}) =>
  patternString(idPattern, 'must be an id of 1 to 64 letters (A to Z), digits, - and _', about)

/** RFC 3339 in UTC with `Z`, to the microsecond at most. */
export const time = (about: SchemaOptions = {}) =>
  patternString(
    '^(?!0000)\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$',
    'must be a UTC time such as 2026-05-20T10:00:00Z',
    { format: 'date-time', ...about },
  )

/** RFC 3339 in any time zone, for input by operators. */
export const timeOfAnyZone = (about: SchemaOptions = {}) =>
  Type.String({ format: 'date-time', 'x-rule': 'must be a time such as 2026-05-20T10:00:00Z', ...about })

/** A day of the calendar, in UTC. */
export const date = (about: SchemaOptions = {}) =>
  patternString('^(?!0000)\\d{4}-\\d\\d-\\d\\d$', 'must be a date such as 2026-05-20', {
    format: 'date',
    ...about,
  })

/** Text of a bounded number of UTF-16 units, possibly of several lines. */
export const text = (maxLength: number, about: SchemaOptions = {}) => Type.String({ maxLength, ...about })

/** Text of one line. Facts are validated for that: see `withLineRule`. */
export const line = (maxLength: number, about: SchemaOptions = {}) =>
  Type.String({ maxLength, 'x-line': true, ...about })

/** A name: one line that is never empty. */
export const name = (maxLength: number, about: SchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength, 'x-line': true, ...about })

const controls = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'
/** The characters of Unicode's property Bidi_Control. */
const directions = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const blanks = '\\s\\u00ad\\u115f\\u1160\\u180e\\u200b-\\u200d\\u2060-\\u2064\\u2800\\u3164\\ufeff\\uffa0'
const linePattern = `^(?![${blanks}]+$)[^${controls}${directions}]*$`
const lineRule =
  'must be a single line of text, not whitespace only, without control characters and bidirectional controls'

/** Adds the pattern of a single line to every text of one line in a schema. */
export function withLineRule<S extends TSchema>(schema: S): S {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  return annotate(schema, {
    ...((schema as { 'x-line'?: boolean })['x-line'] ? { pattern: linePattern, 'x-rule': lineRule } : {}),
    ...(items ? { items: withLineRule(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([member, inner]) => [member, withLineRule(inner)]),
          ),
        }
      : {}),
  })
}

/** A whole number from 0 to 2^53-1, the largest that every JSON reader keeps exactly. */
export const count = (about: SchemaOptions = {}) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...about })

/** The digits that every number of this many digits keeps as an IEEE double. Some of 16 digits come back as another number. */
const exactDigits = 15

/** Whether a number has at most this many decimals, and comes back exactly: it is a safe integer, or has at most 15 digits. */
export const isExactDecimal = (value: number, decimals: number): boolean =>
  Number(value.toFixed(decimals)) === value &&
  (Math.abs(value) < 10 ** (exactDigits - decimals) ||
    Number.isSafeInteger(value) ||
    Number(value.toPrecision(exactDigits)) === value)

/** The nearest number for which `isExactDecimal` is true. */
export const toExactDecimal = (value: number, decimals: number): number =>
  Number(Number(value.toPrecision(exactDigits)).toFixed(decimals))

/** The significant digits of a number as JSON has it. */
const significantDigits = (text: string) =>
  text.replace(/e.*$/i, '').replaceAll(/[^\d]/g, '').replace(/^0+/, '').replace(/0+$/, '')

/** Whether a number as JSON has it is written with the same digits after it was read. */
export const comesBackExactly = (text: string): boolean =>
  significantDigits(text) === significantDigits(String(Number(text)))

/** The decimals that a number of this size may have. */
function decimalsAllowedAt(value: number, decimals: number): number {
  const wholeDigits = Math.abs(value) < 1 ? 0 : Math.trunc(Math.abs(value)).toFixed(0).length
  return Math.max(0, Math.min(decimals, exactDigits - wholeDigits))
}

/** Scores, and other numbers of a game, are from this below 0 to this above. */
export const decimalMax = 1e15

export interface DecimalOptions extends SchemaOptions {
  minimum?: number
  maximum?: number
  decimals?: number
}

/** A number of at most 4 decimals and 15 digits, from `minimum` (default 0) to `maximum` (default 10^15), so that it comes back exactly. */
export const decimal = ({ decimals = 4, ...about }: DecimalOptions = {}) =>
  Type.Refine(
    Type.Number({ minimum: 0, maximum: decimalMax, ...about, 'x-decimals': decimals }),
    // Nullable decimals are refined too. Other types are rejected by the other keywords.
    (value: unknown) => typeof value !== 'number' || isExactDecimal(value, decimals),
    (value: unknown) => decimalRule(value, decimals),
  )

function decimalRule(value: unknown, decimals: number): string {
  const allowed = decimalsAllowedAt(Number(value), decimals)
  const count = allowed === 0 ? 'no decimals' : `at most ${allowed} ${allowed === 1 ? 'decimal' : 'decimals'}`
  return allowed < decimals
    ? `must have ${count}: a number has at most ${exactDigits} digits`
    : `must have ${count}`
}

/** An amount of the currency, from 0 to 2^53-1: a whole number, or a decimal. */
export const amount = (decimals: number, about: SchemaOptions = {}) =>
  Type.Unsafe<number>(
    decimals === 0 ? count(about) : decimal({ maximum: Number.MAX_SAFE_INTEGER, ...about, decimals }),
  )

/** A number in digits, without an exponent: 0.00000001 is `1e-8` as JavaScript has it. */
export const digitsOf = (value: number): string =>
  Math.abs(value) < 1e-6 ? value.toFixed(12).replace(/\.?0+$/, '') : String(value)

/** A score: a decimal that may be negative. */
export const score = (about: SchemaOptions = {}) => decimal({ minimum: -decimalMax, ...about })

/** A sum of scores, of a thousand million nations at most. It is exact in the database, and in JSON the nearest IEEE double. */
export const scoreSum = (about: SchemaOptions = {}) =>
  Type.Number({ minimum: -1e24, maximum: 1e24, ...about, 'x-decimals': 4 })

/** An average of scores, rounded to 4 decimals; in JSON the nearest IEEE double. */
export const scoreAverage = (about: SchemaOptions = {}) =>
  Type.Number({ minimum: -decimalMax, maximum: decimalMax, ...about, 'x-decimals': 4 })

/** A position in an order: 1 is the first. */
export const position = (about: SchemaOptions = {}) => Type.Integer({ minimum: 1, ...about })

/** A whole number for each of the given keys: `{ "tanks": 12 }`. A missing key counts as 0. */
export function countsByKey(words: readonly { key: string }[], about: SchemaOptions = {}) {
  const properties = Object.fromEntries(words.map(({ key }) => [key, count()]))
  return Type.Unsafe<Record<string, number>>({
    type: 'object',
    properties,
    additionalProperties: false,
    ...about,
  })
}

/** One of the keys of a list of the game profile; any text if the list is empty. */
export function profileEnum(words: readonly { key: string }[], about: SchemaOptions = {}) {
  return words.length > 0
    ? Type.Unsafe<string>({ type: 'string', enum: words.map(({ key }) => key), ...about })
    : name(64, about)
}

/** One of the keys of an optional list of the game profile; none if the list is empty. */
export const ownEnum = (words: readonly { key: string }[] = [], about: SchemaOptions = {}) =>
  enumOf(
    words.map(({ key }) => key),
    about,
  )

/** An object with exactly these members. */
export function strictObject<P extends Record<string, TSchema>>(properties: P, about: SchemaOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...about })
}

/** A list of items of one schema. */
export const listOf = <S extends TSchema>(items: S, about: SchemaOptions & { maxItems?: number } = {}) =>
  Type.Array(items, { ...about })

/** A colour as #rrggbb. */
export const color = () => patternString('^#[0-9a-f]{6}$', 'must be a colour such as #2f6fde')

/** Names that public DNS does not resolve: RFC 6761, 6762 and 8375, and ICANN's name for private networks. */
const privateNames = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/

/** Whether a host, as the URL parser writes it, is a public host name. It is not resolved. */
export const isPublicHostName = (host: string): boolean =>
  /\.[a-z][a-z0-9-]*\.?$/.test(host) && !privateNames.test(host)

/** Characters of a URL without escapes: no blanks, controls, quotes, brackets or backslashes, which would end a link in text. */
const urlCharacters = '[!#$%&()*+,\\-./0-9:;=?@A-Z_a-z~]'

// Nullable URLs are refined too. Other types are rejected by the other keywords.
const isPublicUrl = (text: unknown): boolean => {
  if (typeof text !== 'string') return true
  const url = URL.parse(text)
  return url !== null && url.username === '' && url.password === '' && isPublicHostName(url.hostname)
}

/** The URL of an image: https and a public host, so that any page may embed it. */
export const imageUrl = () =>
  Type.Refine(
    patternString(`^https://${urlCharacters}+$`, 'must be an https URL without blanks, quotes and brackets', {
      maxLength: 500,
    }),
    isPublicUrl,
    () => 'must be an https URL with a public host name, without a user name or password',
  )
