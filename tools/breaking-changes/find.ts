/** A change after which a bot that was right may be wrong. */
export interface BreakingChange {
  /** What the changelog has to name: the operation's id, or the name of the schema. */
  subject: string
  /** What changed, in a line. */
  change: string
}

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  'x-scope'?: string
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}
interface Response {
  content?: Record<string, { schema: Schema }>
}
interface Operation {
  operationId: string
  'x-scope'?: string
  'x-include-scopes'?: Record<string, string>
  parameters?: (Parameter | { $ref: string })[]
  responses: Record<string, Response>
}
export interface Document {
  paths: Record<string, { get: Operation }>
  components: { schemas: Record<string, Schema> }
}

/**
 * What of the later document breaks the promise of the earlier one. What is new breaks nothing: operations, parameters that may be
 * left out, fields, and values of a list of words (readers must expect words that they do not know).
 */
export function breakingChanges(before: Document, after: Document): BreakingChange[] {
  const operations = Object.entries(before.paths).flatMap(([path, { get }]) => {
    const now = after.paths[path]?.get
    return now
      ? operationChanges(get, now)
      : [{ subject: get.operationId, change: `GET ${path} is no longer there` }]
  })
  const schemas = Object.entries(before.components.schemas).flatMap(([name, schema]) => {
    const now = after.components.schemas[name]
    const changes = now ? answerChanges(schema, now, name) : [`${name} is no longer there`]
    return changes.map(change => ({ subject: name, change }))
  })
  return [...operations, ...schemas]
}

function operationChanges(before: Operation, after: Operation): BreakingChange[] {
  const id = before.operationId
  const changes = [
    ...(after.operationId === id ? [] : [`is now called ${after.operationId}`]),
    ...scopeChanges(before, after),
    ...parameterChanges(before, after),
    ...Object.entries(before.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, { schema }]) => {
        const now = after.responses[status]?.content?.[type]
        return now ? answerChanges(schema, now.schema, status) : [`no longer answers ${status} as ${type}`]
      }),
    ),
  ]
  return changes.map(change => ({ subject: id, change }))
}

function scopeChanges(before: Operation, after: Operation): string[] {
  const scopesOf = (operation: Operation) => ({
    '': operation['x-scope'] ?? 'none',
    ...operation['x-include-scopes'],
  })
  const now: Record<string, string> = scopesOf(after)
  return Object.entries(scopesOf(before)).flatMap(([section, scope]) => {
    const needed = now[section]
    const name = section === '' ? 'it' : `include=${section}`
    return needed === scope || needed === 'none' ? [] : [`${name} needs ${needed}, not ${scope}`]
  })
}

function parameterChanges(before: Operation, after: Operation): string[] {
  const own = (operation: Operation) =>
    (operation.parameters ?? []).filter((parameter): parameter is Parameter => 'name' in parameter)
  const keyOf = (parameter: Parameter) => `${parameter.in} ${parameter.name}`
  const known = new Map(own(before).map(parameter => [keyOf(parameter), parameter]))
  const now = new Map(own(after).map(parameter => [keyOf(parameter), parameter]))
  return [
    ...[...known].flatMap(([key, { name, schema }]) => {
      const later = now.get(key)
      return later ? takenChanges(schema, later.schema, name) : [`no longer takes ${name}`]
    }),
    ...[...now].flatMap(([key, { name, required }]) =>
      required && !known.get(key)?.required ? [`needs ${name}`] : [],
    ),
  ]
}

const typesOf = ({ type }: Schema) => [type ?? []].flat()

/** What readers no longer get, or get in another form. */
function answerChanges(before: Schema, after: Schema, place: string): string[] {
  if (before.$ref !== after.$ref)
    return [`${place} is now ${after.$ref ?? 'written out'}, not ${before.$ref ?? 'written out'}`]
  const added = typesOf(after).filter(type => !typesOf(before).includes(type))
  if (added.length > 0) return [`${place} may now be ${added.join(' or ')}`]
  const needed = new Set(after.required)
  return [
    ...Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
      const inner = `${place}.${name}`
      const now = after.properties?.[name]
      if (!now) return [`${inner} is no longer there`]
      const isOptionalNow = before.required?.includes(name) && !needed.has(name)
      return [...(isOptionalNow ? [`${inner} may be missing`] : []), ...answerChanges(schema, now, inner)]
    }),
    ...(before.items && after.items ? answerChanges(before.items, after.items, `${place}[]`) : []),
    ...variantChanges(before.anyOf ?? [], after.anyOf ?? [], place),
    ...(before['x-scope'] !== after['x-scope'] && after['x-scope'] !== undefined
      ? [`${place} needs ${after['x-scope']}`]
      : []),
  ]
}

/** The shapes that a value may have: those with a name are known by it, the others by their order. */
function variantChanges(before: Schema[], after: Schema[], place: string): string[] {
  const names = new Set(after.map(({ $ref }) => $ref))
  const unnamed = after.filter(({ $ref }) => $ref === undefined)
  const gone = before.filter(({ $ref }) => $ref !== undefined && !names.has($ref))
  const others = before.filter(({ $ref }) => $ref === undefined)
  return [
    ...gone.map(({ $ref }) => `${place} is never ${$ref} any more`),
    ...others.flatMap((schema, index) => {
      const now = unnamed[index]
      return now ? answerChanges(schema, now, place) : [`${place} has lost one of its shapes`]
    }),
  ]
}

/** What callers may no longer send. */
function takenChanges(before: Schema, after: Schema, name: string): string[] {
  const lost = typesOf(before).filter(type => !typesOf(after).includes(type))
  const words = (before.enum ?? []).filter(word => !(after.enum ?? before.enum ?? []).includes(word))
  const isNarrower =
    (after.maximum ?? Infinity) < (before.maximum ?? Infinity) ||
    (after.minimum ?? -Infinity) > (before.minimum ?? -Infinity) ||
    (after.maxLength ?? Infinity) < (before.maxLength ?? Infinity) ||
    (after.minLength ?? 0) > (before.minLength ?? 0)
  return [
    ...(lost.length > 0 ? [`${name} is no longer ${lost.join(' or ')}`] : []),
    ...(words.length > 0 ? [`${name} no longer takes ${words.join(', ')}`] : []),
    ...(!before.enum && after.enum ? [`${name} takes a list of words only`] : []),
    ...(isNarrower ? [`${name} takes less than before`] : []),
    ...(after.pattern !== undefined && after.pattern !== before.pattern
      ? [`${name} has another pattern`]
      : []),
    ...(before.default !== undefined && after.default !== before.default
      ? [`${name} is ${after.default} where it is left out, not ${before.default}`]
      : []),
    ...(before.items && after.items ? takenChanges(before.items, after.items, `${name}[]`) : []),
  ]
}
