import fc from 'fast-check'
import type { Api, Parameter, Schema } from './document.ts'
import type { KnownValues } from './known-values.ts'
import { oddNumbers, oddTexts, oddTimes } from './odd-texts.ts'

/** Addresses of this machine only, and invalid ones: the server sends requests to them. */
const urls = [
  'http://127.0.0.1:65432/',
  'http://127.0.0.1:65432/',
  'http://localhost:65432/hook?a=b',
  'http://127.0.0.1:9/',
  'https://127.0.0.1:9/hook',
  'http://[::1]:9/',
  'ftp://127.0.0.1/',
  'http://',
  'not a url',
  'javascript:0',
]

export interface ValueSource {
  api: Api
  values: KnownValues
}

/** Values that a schema allows, as far as a generator can know; some of them are ids of the world. */
export function valuesFor(source: ValueSource, schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const { api, values } = source
  const made = (inner: Schema, member = name) => valuesFor(source, inner, member)
  const whole = api.resolve(schema)
  const alternatives = whole.anyOf ?? whole.oneOf
  if (alternatives) return fc.oneof(...alternatives.map(each => made(each)))
  if (whole.const !== undefined) return fc.constant(whole.const)
  if (whole.enum) return fc.constantFrom(...whole.enum)
  const types = [whole.type ?? []].flat()
  if (types.length > 1) return fc.oneof(...types.map(type => made({ ...whole, type })))
  switch (types[0]) {
    case 'object':
      return objects(whole, made)
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 3, uniqueItems } = whole
      const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) }
      const of = made(items, name.replace(/s$/, ''))
      return uniqueItems ? fc.uniqueArray(of, bounds) : fc.array(of, bounds)
    }
    case 'integer':
      return fc.integer({ min: whole.minimum ?? -5, max: Math.min(whole.maximum ?? 1_000, 1_000_000) })
    case 'number':
      return fc
        .integer({ min: Math.max(whole.minimum ?? 0, -10_000_000), max: 10_000_000 })
        .map(tenThousandths => tenThousandths / 10_000)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return texts(whole, name, values.named(name))
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function objects(schema: Schema, made: (inner: Schema, member?: string) => fc.Arbitrary<unknown>) {
  const { properties = {}, required = [], patternProperties } = schema
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, made(inner, name)]),
  )
  const named = fc.record(members, { requiredKeys: required.filter(name => name in members) })
  const [pattern] = Object.entries(patternProperties ?? {})
  if (!pattern) return named
  return fc.dictionary(matching(pattern[0]), made(pattern[1]), { maxKeys: 3 })
}

function texts(
  { format, pattern, minLength = 0, maxLength = 60, examples = [] }: Schema,
  name: string,
  known: string[],
) {
  if (name === 'url') return fc.constantFrom(...urls)
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map(time => time.toISOString())
  const free = pattern
    ? matching(pattern)
    : fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) })
  const given = [...known, ...examples.map(String)]
  return given.length > 0 ? fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...given) }, free) : free
}

/** Lookaheads of a pattern are ignored: the checker decides whether the value fits. */
const matching = (pattern: string) =>
  fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?[!=][^()]*\)/g, ''))).map(text => text.slice(0, 100))

/** Texts for a parameter: values of its schema, values of the world, and edge cases. */
export function textsFor(
  source: ValueSource,
  { schema }: Parameter,
  known: readonly string[],
): fc.Arbitrary<string> {
  const isList = schema.type === 'array'
  const item = isList ? (schema.items ?? {}) : schema
  const one = fc.oneof(
    { weight: 4, arbitrary: valuesFor(source, item).map(String) },
    { weight: known.length > 0 ? 4 : 0, arbitrary: fc.constantFrom(...known, '') },
    { weight: 2, arbitrary: fc.constantFrom(...oddTextsOf(item)) },
  )
  const anything = fc.string({ unit: 'binary', maxLength: 30 }).filter(text => text.isWellFormed())
  const odd = fc.oneof(fc.constantFrom(...oddTexts), anything)
  if (!isList) return fc.oneof({ weight: 3, arbitrary: one }, odd)
  const list = fc.array(one, { minLength: 1, maxLength: 5 }).map(items => items.join(','))
  const long = fc
    .tuple(fc.integer({ min: 95, max: 120 }), one)
    .map(([count, item]) => Array(count).fill(item).join(','))
  return fc.oneof(
    { weight: 6, arbitrary: list },
    { weight: 1, arbitrary: long },
    { weight: 2, arbitrary: odd },
  )
}

function oddTextsOf({ type, enum: words, format, maxLength = 70 }: Schema): string[] {
  if (words) return words.map(word => String(word).toUpperCase())
  if (type === 'integer' || type === 'number') return oddNumbers
  if (type === 'boolean') return ['TRUE', '1', 'yes']
  return format === 'date-time' ? oddTimes : ['a', 'x1_-', 'x'.repeat(maxLength + 1)]
}

const oddValues: unknown[] = [
  null,
  '',
  '\0',
  'x'.repeat(5_000),
  '\u{1F680}',
  '../../',
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  true,
  false,
  [],
  {},
  [null],
  { a: 1 },
  { constructor: 1 },
  '2026-02-30T00:00:00Z',
  [[[[[[[[]]]]]]]],
]

/** A value with one member changed, removed or added. */
export const mutated = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      value,
      fc.nat(),
      fc.constantFrom('change', 'change', 'remove', 'add'),
      fc.constantFrom(...oddValues),
    )
    .map(([whole, which, way, odd]) => {
      const copy: unknown = structuredClone({ whole })
      const places = placesIn(copy)
      const [holder, name] = places[which % places.length] ?? [copy, 'whole']
      const inner = Object(holder)[name]
      if (way === 'add' && typeof inner === 'object' && inner !== null && !Array.isArray(inner))
        inner.unexpected = odd
      else if (way === 'remove' && name !== 'whole') Reflect.deleteProperty(Object(holder), name)
      else Object(holder)[name] = odd
      return Object(copy).whole
    })

/** Every member, from the outermost inwards. */
function placesIn(value: unknown): [holder: object, name: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap(name => [
    [value, name] as [object, string],
    ...placesIn(Object(value)[name]),
  ])
}
