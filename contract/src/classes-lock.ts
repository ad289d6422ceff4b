import type { TSchema } from 'typebox'
import type { Contract } from './contract.ts'
import { type JsonSchema, plainSchema } from './json-schema.ts'
import type { Operation } from './public/operation.ts'

/**
 * The class and scope of each member of each resource and event, and the scope of each operation, one sorted line each, so that a
 * change is one changed line in the diff.
 */
export function classesLock(contract: Contract, operations: readonly Operation[]): string {
  const resources = Object.entries(contract.resources).flatMap(([name, { fields, factFields }]) => [
    ...Object.entries<TSchema>(fields).flatMap(([field, schema]) =>
      lines(`${name}.${field}`, plainSchema(schema)),
    ),
    ...Object.entries<TSchema>(factFields).flatMap(([field, schema]) =>
      lines(`${name}.${field}`, plainSchema(schema)).map(line => `${line}  (fact only)`),
    ),
  ])
  const events = Object.entries(contract.eventKinds).flatMap(([type, { data }]) =>
    lines(`event ${type}`, plainSchema(data), { fieldClass: 'public', scope: '-' }),
  )
  return `${[...resources, ...events, ...operations.flatMap(operationLines)].sort().join('\n')}\n`
}

interface Clearance {
  fieldClass: string
  scope: string
}

/** The leaves of a schema, each with the clearance of the nearest classified schema that contains it. */
function lines(path: string, schema: JsonSchema, around?: Clearance): string[] {
  const own = schema['x-class']
  const clearance = own ? { fieldClass: own, scope: schema['x-scope'] ?? '-' } : around
  if (!clearance) throw new Error(`${path} has no class`)
  if (schema.items && isBranch(schema.items)) return lines(`${path}[]`, schema.items, clearance)
  if (!isBranch(schema)) return [`${path}  ${clearance.fieldClass}  ${clearance.scope}`]
  return Object.entries(schema.properties ?? {}).flatMap(([member, inner]) =>
    lines(`${path}.${member}`, inner, clearance),
  )
}

/** Whether the members of an object are fixed, and not the keys of a game, as in counts by unit. */
function isBranch({ properties, required }: JsonSchema): boolean {
  if (!properties) return false
  return required !== undefined || Object.values(properties).some(member => member['x-class'] !== undefined)
}

function operationLines({ id, scope, includeScopes = {}, returns }: Operation): string[] {
  const view = returns.view === 'owner' ? '  (private fields may leave)' : ''
  return [
    `operation ${id}  ${scope}${view}`,
    ...Object.entries(includeScopes).map(
      ([section, needed]) => `operation ${id}?include=${section}  ${needed}`,
    ),
  ]
}
