import assert from 'node:assert/strict'
import { isRecord } from './json.ts'

/** What is wrong with a value, as sentences that begin with its path. */
export type Shape = (value: unknown, path: string) => string[]

const when = (isRight: (value: unknown) => boolean, wanted: string): Shape => {
  return (value, path) =>
    isRight(value) ? [] : [`${path} must be ${wanted}, not ${JSON.stringify(value)?.slice(0, 120)}`]
}

const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)

export const text = when(value => typeof value === 'string', 'a string')
export const name = when(value => typeof value === 'string' && value !== '', 'a string that is not empty')
export const truth = when(value => typeof value === 'boolean', 'true or false')
export const id = when(matches(/^[A-Za-z0-9_-]{1,64}$/), 'an id of 1 to 64 of A-Z a-z 0-9 _ -')
export const color = when(matches(/^#[0-9a-f]{6}$/), 'a colour like #2f6fde')
export const link = when(matches(/^https?:\/\//), 'a URL')
export const time = when(
  value =>
    matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)(value) && !Number.isNaN(Date.parse(String(value))),
  'an RFC 3339 time in UTC with Z',
)
export const count = when(
  value => Number.isSafeInteger(value) && Number(value) >= 0,
  'a whole number from 0 to 2^53-1',
)
export const position = when(
  value => Number.isSafeInteger(value) && Number(value) >= 1,
  'a whole number from 1',
)
export const change = when(
  value => typeof value === 'number' && Number(value.toFixed(4)) === value,
  'a number with at most 4 decimals',
)
export const decimal = when(
  value => typeof value === 'number' && value >= 0 && Number(value.toFixed(4)) === value,
  'a number from 0 with at most 4 decimals',
)
export const anyObject = when(isRecord, 'an object')

export const exactly = (wanted: unknown) => when(value => value === wanted, JSON.stringify(wanted))
export const oneOf = (...words: string[]) =>
  when(value => typeof value === 'string' && words.includes(value), `one of ${words.join(', ')}`)

export const nullable =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? [] : shape(value, path)

export const listOf =
  (item: Shape): Shape =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((inner, index) => item(inner, `${path}[${index}]`))
      : [`${path} must be an array, not ${JSON.stringify(value)?.slice(0, 120)}`]

/** An object whose members all have one shape, whatever their names. */
export const mapOf =
  (inner: Shape): Shape =>
  (value, path) =>
    isRecord(value)
      ? Object.entries(value).flatMap(([member, held]) => inner(held, `${path}.${member}`))
      : anyObject(value, path)

/** An object with exactly these members. */
export const object =
  (wanted: Record<string, Shape>): Shape =>
  (value, path) => {
    if (!isRecord(value)) return anyObject(value, path)
    const unknown = Object.keys(value).filter(member => !(member in wanted))
    return [
      ...Object.entries(wanted).flatMap(([member, shape]) =>
        member in value ? shape(value[member], `${path}.${member}`) : [`${path}.${member} is missing`],
      ),
      ...unknown.map(member => `${path}.${member} is not named anywhere`),
    ]
  }

export function assertShape(shape: Shape, value: unknown, path: string, where: string): void {
  const problems = shape(value, path)
  assert.equal(problems.length, 0, `${where}\n  ${problems.slice(0, 10).join('\n  ')}`)
}
