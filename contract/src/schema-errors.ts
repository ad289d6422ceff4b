import type { TSchema } from 'typebox'
import type { JsonSchema } from './json-schema.ts'

/** What TypeBox says of a value that does not match its schema. */
export interface SchemaError {
  keyword: string
  schemaPath: string
  instancePath: string
  params: object
  message: string
}

/** One mistake in a value: where, as a JSON pointer, and what must be there, in words. */
export interface SchemaProblem {
  path: string
  reason: string
}

/** Every mistake once. Patterns and formats are said by the `x-rule` that stands beside them. */
export function describeErrors(schema: TSchema, errors: readonly SchemaError[]): SchemaProblem[] {
  const problems = new Map<string, SchemaProblem>()
  for (const error of errors) {
    for (const problem of problemsOf(error, schemaAtError(schema, error.schemaPath)))
      problems.set(`${problem.path} ${problem.reason}`, problem)
  }
  return [...problems.values()]
}

function problemsOf(error: SchemaError, schema: JsonSchema): SchemaProblem[] {
  const { keyword, instancePath: path, message } = error
  const params = error.params as Record<string, unknown>
  const at = (names: unknown, reason: string) =>
    (Array.isArray(names) ? names : []).map(name => ({
      path: `${path}/${pointerStep(String(name))}`,
      reason,
    }))
  switch (keyword) {
    // Of what stands under an unknown name: the object that holds it says the same.
    case 'boolean':
      return []
    case 'additionalProperties':
      return at(params.additionalProperties, 'unknown field')
    case 'required':
      return at(params.requiredProperties, 'is required')
    case 'type':
    case 'pattern':
    case 'format':
      return [{ path, reason: ruleOf(schema) ?? typeRule(schema) ?? message }]
    case 'enum':
      return [
        { path, reason: `must be one of ${listed((schema.enum ?? params.allowedValues) as unknown[])}` },
      ]
    case 'minimum':
      return [{ path, reason: `must be at least ${params.limit}` }]
    case 'maximum':
      return [{ path, reason: `must be at most ${params.limit}` }]
    case 'minLength':
      return [{ path, reason: params.limit === 1 ? 'must not be empty' : message }]
    default:
      return [{ path, reason: message }]
  }
}

const orNull = (schema: JsonSchema) => ([schema.type].flat().includes('null') ? ', or null' : '')

function ruleOf(schema: JsonSchema): string | undefined {
  const rule = schema['x-rule']
  return typeof rule === 'string' ? `${rule}${orNull(schema)}` : undefined
}

const typeWords: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function typeRule(schema: JsonSchema): string | undefined {
  const words = [schema.type ?? []].flat().flatMap(type => typeWords[type] ?? [])
  return words.length === 0 ? undefined : `must be ${words.join(' or ')}${orNull(schema)}`
}

const listed = (values: unknown[]) => values.filter(value => value !== null).join(', ')

/** The schema that an error is about: the steps of its path are members of the schema that was checked. */
export const schemaAtError = (schema: TSchema, path: string): JsonSchema =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (inside, step) => (Object(inside) as Record<string, unknown>)[step],
      schema,
    ) as JsonSchema

const nameLengthMax = 64

/** A name as a step of a JSON pointer: escaped, and no longer than a name may be. */
export function pointerStep(name: string): string {
  const short = name.length > nameLengthMax ? `${name.slice(0, nameLengthMax).toWellFormed()}…` : name
  return visible(short).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** What a terminal or a page does not show as it is: controls, formats such as changes of direction, halves of characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const visible = (text: string) =>
  text.replace(unseen, found =>
    found
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

const valueLengthMax = 60

/** A value as JSON, on one line and shortened, for whoever corrects it. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') {
    const short = value.length > valueLengthMax ? `${value.slice(0, valueLengthMax).toWellFormed()}…` : value
    return visible(JSON.stringify(short))
  }
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/**
 * Whether the value at a place may be repeated in a message. It must be a single value, and all classes on the way to it must be public:
 * `isPublic` says so of the whole, where its members have none. A place that the schema does not have may be a private one, misspelt.
 */
export function isPublicPlace(schema: TSchema, path: string, { isPublic = false } = {}): boolean {
  let inside = schema as JsonSchema
  let isKnownPublic = isPublic
  for (const step of path.split('/').slice(1)) {
    const { properties = {}, items } = inside
    const next = Object.hasOwn(properties, step) ? properties[step] : /^\d+$/.test(step) ? items : undefined
    if (next === undefined) return false
    const fieldClass = next['x-class']
    if (fieldClass !== undefined && fieldClass !== 'public') return false
    isKnownPublic ||= fieldClass === 'public'
    inside = next
  }
  return isKnownPublic && inside.properties === undefined && inside.items === undefined
}

/** A refusal in one line: `/data/founded_at must be a UTC time such as 2026-05-20T10:00:00Z (it is "yesterday")`. */
export const rejectionText = ({
  path,
  reason,
  value,
}: {
  path: string
  reason: string
  value?: string | undefined
}): string => `${path === '' ? '' : `${path} `}${reason}${value === undefined ? '' : ` (it is ${value})`}`
