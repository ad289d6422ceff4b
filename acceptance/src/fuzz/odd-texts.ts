export const words = (text: string): string[] => text.trim().split(/\s+/)

type Encode = (text: string) => string

/** Equivalent encodings of a text in a path. */
export const pathEncodings: readonly Encode[] = [
  encodeURIComponent,
  text => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
  text => encodeURIComponent(text).replaceAll(/%../g, byte => byte.toLowerCase()),
]
/** Equivalent encodings of a text in a query. */
export const queryEncodings: readonly Encode[] = [
  ...pathEncodings,
  text => encodeURIComponent(text).replaceAll('%20', '+'),
]
/** Invalid encodings. */
export const brokenEncodings = words('% %2 %zz %ff %c3 %ed%a0%80 %c0%af a% %u0041')

/** Other notations of numbers, and edge cases. */
export const oddNumbers = [
  ...words(`
  0 1 100 101 00 007 +5 -1 -0 1.0 1.50000 0.00001 1e3 1E400 0x10 ٣ １ NaN Infinity 9007199254740991
  9007199254740992 99999999999999999999999 -9223372036854775808`),
  ' 5',
  '5 ',
]
/** Times that do not exist, that other standards allow, and at the limits of a database. */
export const oddTimes = [
  ...words(`
  2026-02-29T00:00:00Z 2024-02-29T00:00:00Z 2026-13-01T00:00:00Z 2026-01-01T24:00:00Z
  2026-01-01T23:59:60Z 2026-01-01 2026-01-01T00:00Z 2026-01-01T00:00:00 2026-01-01t00:00:00z
  0000-01-01T00:00:00Z 0001-01-01T00:00:00+14:00 9999-12-31T23:59:59.999999Z 9999-12-31T23:59:59-14:00
  10000-01-01T00:00:00Z +002026-01-01T00:00:00Z 1779904860 2026-01-01T00:00:00+99:99
  2026-06-01T12:00:00+02:00 1969-12-31T23:59:59Z 2026-01-01T00:00:00.123456789Z
  2026-01-01T00:00:00.1234567890Z`),
  '2026-01-01 00:00:00Z',
]
/** Texts with a meaning for a database, a shell, a template, a URL or a runtime, and Unicode that is easily broken. */
export const oddTexts = [
  ...words(`
  % _ " ; -- #{7*7} {{7*7}} ../.. ..%2f é ß İ ﬀ null undefined true [] {} * war.* .* , ,, constructor
  __proto__ toString <script>alert(1)</script>`),
  '',
  '\\',
  "'",
  "' or 1=1 --",
  '\0',
  'a\0b',
  '\n',
  '\r\n',
  '\t',
  '\u007f',
  '\u{1F680}',
  'e\u0301',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\uffff',
  'a'.repeat(64),
  'a'.repeat(65),
  'a'.repeat(100),
  'a'.repeat(101),
  'é'.repeat(200),
  '\u{1F680}'.repeat(101),
  'x'.repeat(3_000),
  'a,'.repeat(101),
]
