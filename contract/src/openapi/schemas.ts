import type { TSchema } from 'typebox'
import { type Deprecation, withDeprecation } from '../classification.ts'
import { type Contract, pagination, type ResourceName } from '../contract.ts'
import { factsSchema } from '../facts-schema.ts'
import { type JsonSchema, mapSchema, withoutKeywords } from '../json-schema.ts'
import { type FactsPlace, factsKeyword } from '../operator/facts.ts'
import { errorBody } from '../public/errors.ts'
import type { Operation, Returns } from '../public/operation.ts'
import { readableSchema, returnedSchema } from '../public/responses.ts'
import { pascalCase, refTo } from './document.ts'

const ownerNames: Partial<Record<ResourceName, string>> = { alliance: 'AllianceWithTreasury' }

/** `Battle` is a battle of a war: its `war_id` is never null. */
const publicNames: Partial<Record<ResourceName, string>> = { battle: 'AnyBattle' }

/** The name of the component for one view of a resource. */
export const componentName = (resource: ResourceName, view: Returns['view']): string =>
  view === 'public'
    ? (publicNames[resource] ?? pascalCase(resource))
    : (ownerNames[resource] ?? `Own${pascalCase(resource)}`)

/** The name of the component that an operation returns for a resource. */
export const returnedName = (
  { view, narrowed }: Returns,
  resource: ResourceName,
  shown: Returns['view'] = view,
): string => narrowed?.component ?? componentName(resource, shown)

const eventName = (type: string): string => `Event${pascalCase(type)}`
const eventDataName = (type: string): string => `EventData${pascalCase(type)}`
/** The key of later types in the mapping of the discriminator. No type is named so: the names of types have a dot and no spaces. */
const laterType = '(a later type)'

/**
 * A schema for clients. Members may be added to any object within a version, so no object is closed:
 * a client generated from a closed schema would reject the first addition.
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
      schemas[returnedName(returns, resource)] ??= documented(returnedSchema(contract, returns, resource))
    }
  }
  Object.assign(schemas, eventSchemas(contract))
  schemas.Pagination = documented(pagination)
  schemas.Error = documented(errorBody)
  return schemas
}

/**
 * `Event` is exactly one of its variants: one for each type, with the schema of its `data`, and an open one for types that are
 * added later, which excludes the others by `not`. The discriminator maps each type to its variant. It also has an entry for the
 * open variant, because generators otherwise give it the type `string` or the name of its schema: with `string`,
 * `event.type === 'war.declared'` would not select one variant.
 */
function eventSchemas({ resources, eventKinds }: Contract): Record<string, JsonSchema> {
  const {
    description = '',
    properties = {},
    required = [],
  } = documented(readableSchema(resources.event, 'public'))
  const { type: kind = {}, data: _data, ...common } = properties
  const types = Object.keys(eventKinds)
  const variant = (text: string, type: object, data: JsonSchema): JsonSchema => ({
    description: text,
    allOf: [refTo('schemas', 'EventCommon')],
    type: 'object',
    properties: { type: { type: 'string', description: 'Type of the event.', ...type }, data },
    required: ['type', 'data'],
  })
  const variants = Object.entries(eventKinds).flatMap(([type, each]) => [
    [
      eventName(type),
      variant(each.description, { const: type }, refTo('schemas', eventDataName(type))),
    ] as const,
    [
      eventDataName(type),
      { ...documented(each.data), description: `Data of ${type}. ${each.description}` },
    ] as const,
  ])
  const byType = {
    ...Object.fromEntries(types.map(type => [type, eventName(type)])),
    [laterType]: 'EventLater',
  }
  return {
    Event: {
      description: `${description} \`type\` determines the schema of \`data\`. Types may be added at any time: ignore unknown ones.`,
      oneOf: Object.values(byType).map(name => refTo('schemas', name)),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(
          Object.entries(byType).map(([type, name]) => [type, refTo('schemas', name).$ref]),
        ),
      },
    },
    EventCommon: {
      description: 'What events of all types have.',
      type: 'object',
      properties: common,
      required: required.filter(member => member in common),
    },
    ...Object.fromEntries(variants),
    EventLater: variant(
      'An event of a type that is not in this document, because it was added later.',
      {
        maxLength: kind.maxLength,
        description: 'A type that is not in this document.',
        not: { enum: types },
      },
      {
        type: 'object',
        description: 'Details, with members that depend on the type.',
        additionalProperties: true,
      },
    ),
  }
}

const factComponents: Record<FactsPlace, string> = { line: 'Fact', batch: 'BatchFact' }

/** Collects the components of the operator document. */
export function createOperatorSchemas(contract: Contract) {
  const components: Record<string, JsonSchema> = {}

  /** Replaces a titled schema by a reference to its component. */
  const refer = (schema: JsonSchema): JsonSchema => {
    const place = schema[factsKeyword] as FactsPlace | undefined
    if (place) return refTo('schemas', factComponents[place])
    const { anyOf, title } = schema
    const whole = Array.isArray(anyOf) ? { ...schema, anyOf: anyOf.map(within) } : schema
    if (typeof title !== 'string') return whole
    const types = Array.isArray(schema.type) ? schema.type : []
    if (!types.includes('null')) {
      components[title] ??= withoutKeywords(whole, ['title'])
      return refTo('schemas', title)
    }
    components[title] ??= withoutKeywords({ ...whole, type: types.find(type => type !== 'null') }, ['title'])
    return { anyOf: [refTo('schemas', title), { type: 'null' }] }
  }
  const within = (schema: TSchema): JsonSchema => mapSchema(schema, refer) ?? {}

  return {
    components,
    /** Unknown members are rejected in requests, so every object is closed. */
    request: (schema: TSchema): JsonSchema => within(withExamples(schema)),
    /** Members may be added to responses within a version, so no object is closed. */
    response: (schema: TSchema): JsonSchema => within(documented(schema)),
    /** Every fact of the game's profile, and the error body. */
    addShared(): void {
      const { $defs = {} } = factsSchema(contract) as { $defs?: Record<string, JsonSchema> }
      const names = Object.keys($defs)
      // A fact matches exactly one. With `oneOf`, validators would try them all, and linters object because they do not look into `data`.
      const anyOf = (included: string[]) => included.map(name => refTo('schemas', `Fact${name}`))
      components.Fact = { description: 'One fact: a line of a stream.', anyOf: anyOf(names) }
      components.BatchFact = {
        description: 'One fact of a JSON batch, which has no commit.',
        anyOf: anyOf(names.filter(name => name !== 'Commit')),
      }
      for (const name of names) components[`Fact${name}`] = $defs[name] ?? {}
      components.Error = documented(errorBody)
    },
  }
}

/** Converts `example` to the `examples` of JSON Schema. */
const withExamples = (schema: TSchema): JsonSchema =>
  mapSchema(schema, ({ example, 'x-line': _line, ...rest }) =>
    example === undefined ? rest : { ...rest, examples: [example] },
  ) ?? {}

export type OperatorSchemas = ReturnType<typeof createOperatorSchemas>
