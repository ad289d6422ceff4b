import fc from 'fast-check'
import type { Parameter, Schema } from './document.ts'

/** Texts for a parameter: valid ones, values of the world, and edge cases. */
export function textsFor({ schema }: Parameter, known: readonly string[]): fc.Arbitrary<string> {
  const one = plainTexts(schema.type === 'array' ? (schema.items ?? {}) : schema, known)
  const odd = fc.constantFrom(...oddTexts)
  if (schema.type !== 'array')
    return fc.oneof({ weight: 6, arbitrary: one }, { weight: 1, arbitrary: odd }, anything)
  const list = fc.array(one, { minLength: 1, maxLength: 5 }).map(items => items.join(','))
  const long = fc
    .tuple(fc.integer({ min: 95, max: 120 }), one)
    .map(([count, item]) => Array(count).fill(item).join(','))
  return fc.oneof(
    { weight: 6, arbitrary: list },
    { weight: 1, arbitrary: long },
    { weight: 1, arbitrary: odd },
    anything,
  )
}

const anything = fc.string({ unit: 'binary', maxLength: 30 }).filter(text => text.isWellFormed())

function plainTexts(schema: Schema, known: readonly string[]): fc.Arbitrary<string> {
  const values = known.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom(...known) }] : []
  return fc.oneof({ weight: 4, arbitrary: typicalTexts(schema) }, ...values)
}

function typicalTexts({
  type,
  enum: words,
  format,
  minimum = 0,
  maximum,
  maxLength = 70,
  examples = [],
}: Schema) {
  if (words) return fc.constantFrom(...words.map(String), ...words.map(word => String(word).toUpperCase()))
  if (type === 'integer') {
    const near = fc.integer({ min: Math.max(0, minimum), max: Math.min(maximum ?? 30, 200) })
    const any = fc.maxSafeNat()
    return fc.oneof(
      { weight: 4, arbitrary: near.map(String) },
      { weight: 1, arbitrary: any.map(String) },
      fc.constantFrom(...oddNumbers),
    )
  }
  if (type === 'number') {
    const decimal = fc
      .tuple(fc.nat(5_000), fc.nat(9_999))
      .map(([whole, rest]) => String(whole + rest / 10_000))
    return fc.oneof(
      { weight: 4, arbitrary: decimal },
      fc.constantFrom(...oddNumbers),
      fc.double().map(String),
    )
  }
  if (type === 'boolean') return fc.constantFrom('true', 'false', 'TRUE', '1', 'yes')
  if (format === 'date-time') {
    const ordinary = fc.date({
      min: new Date('1990-01-01'),
      max: new Date('2100-01-01'),
      noInvalidDate: true,
    })
    return fc.oneof(
      { weight: 4, arbitrary: ordinary.map(time => time.toISOString()) },
      fc.constantFrom(...oddTimes),
    )
  }
  const ids = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)
  const texts = fc.string({ unit: 'grapheme', maxLength: maxLength + 5 })
  return fc.oneof(ids, texts, fc.constantFrom('a', ...examples.map(String)))
}

type Encode = (text: string) => string

/** Ways to write a text in a path that all mean the same. */
export const pathEncodings: readonly Encode[] = [
  encodeURIComponent,
  text => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
  text => encodeURIComponent(text).replaceAll(/%../g, byte => byte.toLowerCase()),
]
/** And in a query. */
export const queryEncodings: readonly Encode[] = [
  ...pathEncodings,
  text => encodeURIComponent(text).replaceAll('%20', '+'),
]
/** What means nothing in either. */
export const brokenEncodings = [
  '%',
  '%2',
  '%zz',
  '%ff',
  '%c3',
  '%ed%a0%80',
  '%c0%af',
  'a%',
  '%u0041',
] as const

/** Notations of numbers other than digits, and edge cases. */
const oddNumbers = [
  '0',
  '1',
  '100',
  '101',
  '00',
  '007',
  '+5',
  '-1',
  '-0',
  '1.0',
  '1.50000',
  '0.00001',
  '1e3',
  '1E400',
  '0x10',
  ' 5',
  '5 ',
  '٣',
  '１',
  'NaN',
  'Infinity',
  '9007199254740991',
  '9007199254740992',
  '99999999999999999999999',
  '-9223372036854775808',
]
/** Times that do not exist, that other standards allow, and at the limits of a database. */
const oddTimes = [
  '2026-02-29T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01',
  '2026-01-01T00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01t00:00:00z',
  '2026-01-01 00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59.999999Z',
  '9999-12-31T23:59:59-14:00',
  '10000-01-01T00:00:00Z',
  '+002026-01-01T00:00:00Z',
  '1779904860',
  '2026-01-01T00:00:00+99:99',
  '2026-06-01T12:00:00+02:00',
  '1969-12-31T23:59:59Z',
  '2026-01-01T00:00:00.123456789Z',
  '2026-01-01T00:00:00.1234567890Z',
]
/** Texts that mean something to a database, a shell, a template, a URL or a runtime, and Unicode that is easily torn. */
const oddTexts = [
  '',
  '%',
  '_',
  '\\',
  "'",
  '"',
  ';',
  '--',
  "' or 1=1 --",
  '#{7*7}',
  '{{7*7}}',
  '../..',
  '..%2f',
  '\0',
  'a\0b',
  '\n',
  '\r\n',
  '\t',
  '\u007f',
  '\u{1F680}',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'ﬀ',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\uffff',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '*',
  'war.*',
  '.*',
  ',',
  ',,',
  'constructor',
  '__proto__',
  'toString',
  '<script>alert(1)</script>',
  'a'.repeat(64),
  'a'.repeat(65),
  'a'.repeat(100),
  'a'.repeat(101),
  'é'.repeat(200),
  '\u{1F680}'.repeat(101),
  'x'.repeat(3_000),
  'a,'.repeat(101),
]
