import { idPattern } from '@chancery/contract'
import fc from 'fast-check'
import type { Schema } from './slots.ts'

/** Words that names, secrets and searches have in common: a search that looks into a secret finds something. */
export const words = ['Valdoria', 'Karsk', 'Istra', 'Nord', 'val', '100%', 'a_b', 'Śnieg', 'war']

/** Ids that facts may refer to, also where nothing has such an id. */
const someIds = ['n_leader', 'n_enemy', 'n_filler', 'a_one', 'a_two', 'a_three', 'x-1', 'Z_9']

const spanSeconds = 200 * 24 * 3600
const spanStart = Date.parse('2026-01-01T00:00:00Z')

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...words) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
      .map(list => list.join(' ')),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' }) },
)

const time = fc
  .integer({ min: 0, max: spanSeconds })
  .map(seconds => new Date(spanStart + seconds * 1000).toISOString().replace('.000', ''))

/** Values that a schema takes: few enough to meet often, odd enough to matter. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const types = [schema.type ?? 'object'].flat()
  // A list of words that the profile leaves empty.
  if (schema.enum?.every(value => value === null)) return fc.constant(null)
  const values = fc.oneof(...types.filter(type => type !== 'null').map(type => valuesOfType(schema, type)))
  return types.includes('null') ? fc.option(values, { freq: 4, nil: null }) : values
}

function valuesOfType(schema: Schema, type: string): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum.filter(value => value !== null))
  switch (type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'string':
      return stringOf(schema)
    case 'array': {
      const { minItems = 0, maxItems = 3, items = {} } = schema
      return fc.array(valuesOf(items), { minLength: minItems, maxLength: Math.min(maxItems, 3) })
    }
    default: {
      const { properties = {}, required = [] } = schema
      const members = Object.entries(properties).map(([key, member]) => [key, valuesOf(member)])
      const options: { requiredKeys: string[]; noNullPrototype: true } = {
        requiredKeys: required,
        noNullPrototype: true,
      }
      return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, options)
    }
  }
}

function numberOf({ minimum = -1000, maximum = Number.MAX_SAFE_INTEGER, ...schema }: Schema) {
  const scale = 10 ** (schema['x-decimals'] ?? 0)
  const min = Math.ceil(Math.max(minimum, -1_000) * scale)
  const max = scale === 1 ? maximum : Math.min(maximum, 1_000_000) * scale
  const small = fc.integer({ min, max: Math.min(max, min + 100 * scale) })
  return fc.oneof(small, fc.integer({ min, max })).map(value => value / scale)
}

function stringOf({
  format,
  pattern,
  minLength = 0,
  maxLength = 100,
  'x-line': isLine,
}: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return time
  if (format === 'date') return time.map(value => value.slice(0, 10))
  if (pattern === idPattern) {
    return fc.oneof(fc.constantFrom(...someIds), fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/))
  }
  if (pattern?.startsWith('^https://')) return fc.constantFrom('https://a.example/', 'https://b.example/')
  if (pattern && !isLine) return fc.stringMatching(new RegExp(pattern))
  const fits = new RegExp(pattern ?? '')
  const short = text.map(value => value.slice(0, maxLength)).filter(value => fits.test(value))
  return minLength > 0
    ? short
    : fc.oneof({ weight: 8, arbitrary: short }, { weight: 1, arbitrary: fc.constant('') })
}
