import type { TSchema } from 'typebox'
import { type Deprecation, withDeprecation } from '../classification.ts'
import { type Contract, pagination } from '../contract.ts'
import { errorBody } from '../errors.ts'
import { type JsonSchema, mapSchema, withoutKeywords } from '../json-schema.ts'
import type { Operation, ResourceName, Returns } from '../operations/operation.ts'
import { readableSchema } from '../responses.ts'
import { pascalCase, refTo } from './document.ts'

const ownerNames: Partial<Record<ResourceName, string>> = { alliance: 'AllianceWithTreasury' }

/** The component of a resource as one view shows it. */
export const componentName = (resource: ResourceName, view: Returns['view']): string =>
  view === 'public' ? pascalCase(resource) : (ownerNames[resource] ?? `Own${pascalCase(resource)}`)

const eventDataName = (type: string): string => `EventData${pascalCase(type)}`

/**
 * A schema as strangers read it. Members may be added to any object within a version, so none is closed:
 * a client generated from a closed schema would refuse the first addition.
 */
export function documented(schema: TSchema): JsonSchema {
  const rewritten = mapSchema(schema, inner => {
    const { example, ...rest } = withoutKeywords(inner, ['x-derived', 'x-text', 'x-line', 'x-rule'])
    const opened =
      inner.additionalProperties === false ? withoutKeywords(rest, ['additionalProperties']) : rest
    const shown = example === undefined ? opened : { ...opened, examples: [example] }
    const deprecation = inner['x-deprecated'] as Deprecation | undefined
    return deprecation
      ? { ...shown, description: withDeprecation(inner.description ?? '', deprecation) }
      : shown
  })
  return rewritten ?? {}
}

/** One component for each resource and view that an operation returns, each kind of event, and the envelopes' parts. */
export function componentSchemas(
  contract: Contract,
  operations: readonly Operation[],
): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {}
  for (const { returns } of operations) {
    for (const resource of returns.resources) {
      schemas[componentName(resource, returns.view)] ??= documented(
        readableSchema(contract.resources[resource], returns.view),
      )
    }
  }
  for (const [type, { description, data }] of Object.entries(contract.eventKinds)) {
    schemas[eventDataName(type)] = {
      title: type,
      ...documented(data),
      description: `Data of ${type}. ${description}`,
    }
  }
  describeEventData(schemas, Object.keys(contract.eventKinds))
  schemas.Pagination = documented(pagination)
  schemas.Error = documented(errorBody)
  return schemas
}

/** Kinds may share a shape, so that a value can match several of them: anyOf. The open object stands for kinds added later. */
function describeEventData(schemas: Record<string, JsonSchema>, types: readonly string[]) {
  const data = schemas.Event?.properties?.data
  if (!data) return
  data.anyOf = [
    ...types.map(type => refTo('schemas', eventDataName(type))),
    { title: 'any other kind', type: 'object', description: 'Data of a kind that was added later.' },
  ]
}
