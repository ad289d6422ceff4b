import type { TSchema } from 'typebox'
import type { JsonSchema } from './json-schema.ts'

/** An error of TypeBox about a value that does not match its schema. */
export interface SchemaError {
  keyword: string
  schemaPath: string
  instancePath: string
  params: object
  message: string
}

/** One mistake in a value: a JSON pointer, and what is required there. */
export interface SchemaProblem {
  path: string
  reason: string
}

/** Every mistake once. Patterns and formats are described by their `x-rule`. */
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
    // About the value of an unknown member, which the error of its object reports already.
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
      return [{ path, reason: enumRule((schema.enum ?? params.allowedValues) as unknown[]) }]
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

/** A list of the game profile may be empty. */
function enumRule(values: unknown[]): string {
  const words = values.filter(value => value !== null)
  return words.length > 0 ? `must be one of ${words.join(', ')}` : 'must be null: the game profile has none'
}

/** The schema that an error is about, by its `schemaPath`. */
export const schemaAtError = (schema: TSchema, path: string): JsonSchema =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (inside, step) => (Object(inside) as Record<string, unknown>)[step],
      schema,
    ) as JsonSchema

const nameLengthMax = 64

/** A name as a step of a JSON pointer: escaped, and shortened to the longest possible name. */
export function pointerStep(name: string): string {
  const short = name.length > nameLengthMax ? `${name.slice(0, nameLengthMax).toWellFormed()}…` : name
  return visible(short).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Controls, format characters such as bidirectional controls, and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const visible = (text: string) =>
  text.replace(invisible, found =>
    found
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

const valueLengthMax = 60

/** A value as JSON, on one line and shortened. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') {
    const short = value.length > valueLengthMax ? `${value.slice(0, valueLengthMax).toWellFormed()}…` : value
    return visible(JSON.stringify(short))
  }
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/**
 * Whether a message may quote the value at a path. It must be a single value, and all classes on the path must be public:
 * `isPublic` states that of a schema whose members have no classes. A path that the schema does not have may be a misspelt private one.
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

/** A rejection in one line: `/data/founded_at must be a UTC time such as 2026-05-20T10:00:00Z (it is "yesterday")`. */
export const rejectionText = ({
  path,
  reason,
  value,
}: {
  path: string
  reason: string
  value?: string | undefined
}): string => `${path === '' ? '' : `${path} `}${reason}${value === undefined ? '' : ` (it is ${value})`}`
