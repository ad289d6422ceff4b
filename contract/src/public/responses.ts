import type { TSchema } from 'typebox'
import { type Class, classes, type Resource } from '../classification.ts'
import { type Contract, itemEnvelope, listEnvelope, type ResourceName } from '../contract.ts'
import { type JsonSchema, mapSchema, withoutKeywords } from '../json-schema.ts'
import type { Operation, Returns } from './operation.ts'

/** The classes that each view contains. `admin_only` is in none. */
const clearedClasses: Record<Returns['view'], readonly Class[]> = {
  public: ['public'],
  owner: classes.filter(fieldClass => fieldClass !== 'admin_only'),
}

/** Keywords for internal use. A `default` would make serializers write it in place of a withheld field. */
const internalKeywords = ['x-derived', 'x-input', 'x-text', 'x-line', 'x-rule', 'default']

/**
 * The JSON schema of a resource with exactly the fields of a view.
 * Public fields are required; private ones are optional, because each requires its scope and entitlement.
 * The class of a member, as in `attributes`, takes precedence over that of the field.
 */
export function readableSchema(resource: Resource, view: Returns['view']): JsonSchema {
  const members = Object.entries(resource.fields).flatMap(([fieldName, field]) => {
    const cleared = keepCleared(field, clearedClasses[view])
    return cleared ? [[fieldName, cleared] as const] : []
  })
  return {
    type: 'object',
    description: resource.description,
    properties: Object.fromEntries(members),
    required: members.filter(([, field]) => field['x-class'] === 'public').map(([fieldName]) => fieldName),
    additionalProperties: false,
  }
}

/** The JSON schema of a resource as an operation returns it. */
export function returnedSchema(
  { resources }: Contract,
  { view, narrowed }: Returns,
  resource: ResourceName,
): JsonSchema {
  const schema = readableSchema(resources[resource], view)
  if (!narrowed) return schema
  const narrow = ({ type = [], description = '', ...field }: JsonSchema): JsonSchema => ({
    ...field,
    type: [type].flat().find(name => name !== 'null') ?? [],
    description: description.replace(/; null [^.;]*/, ''),
  })
  const fields = Object.entries(schema.properties ?? {})
  return {
    ...schema,
    description: narrowed.description,
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, narrowed.neverNull.includes(name) ? narrow(field) : field]),
    ),
  }
}

function keepCleared(field: TSchema, cleared: readonly string[]): JsonSchema | undefined {
  return mapSchema(field, schema => {
    const fieldClass = schema['x-class']
    if (fieldClass !== undefined && !cleared.includes(fieldClass)) return undefined
    return withoutKeywords(schema, internalKeywords)
  })
}

/**
 * The JSON schema of the whole response body of an operation, for the viewer with the highest clearance.
 * A serializer compiled from it drops everything that the contract does not include.
 * An operation with several resources (a ranking board) has one body for each, selected by `resourceName`.
 */
export function responseSchema(
  contract: Contract,
  operation: Operation,
  resourceName: ResourceName = onlyResource(operation),
): TSchema {
  const { isList, resources } = operation.returns
  if (!resources.includes(resourceName)) throw new Error(`${operation.id} does not return ${resourceName}`)
  const item = returnedSchema(contract, operation.returns, resourceName)
  return isList ? listEnvelope(item) : itemEnvelope(item)
}

function onlyResource({ id, returns: { resources } }: Operation): ResourceName {
  const [first] = resources
  if (first === undefined || resources.length > 1)
    throw new Error(`${id} returns ${resources.join(' or ')}: pass one of them`)
  return first
}
