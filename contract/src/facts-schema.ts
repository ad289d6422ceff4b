import type { TSchema } from 'typebox'
import { type Contract, factResources } from './contract.ts'
import { commitFact, deleteFact, eventFact, putFact } from './facts.ts'
import { type JsonSchema, plainSchema } from './json-schema.ts'
import { eraseFact, redactFact, resetFact, snapshotFact } from './maintenance-facts.ts'
import { pascalCase } from './openapi/document.ts'
import { redactableResources } from './text-origin.ts'

/** The JSON Schema of one line of facts. It includes admin-only fields, which the game sends and the API never returns. */
export function factsSchema(contract: Contract): JsonSchema {
  const $defs = Object.fromEntries(
    Object.entries({
      ...Object.fromEntries(
        factResources.map(resource => [`Put${pascalCase(resource)}`, putSchema(contract, resource)]),
      ),
      Delete: deleteFact([...factResources]),
      ...Object.fromEntries(
        Object.entries(contract.eventKinds)
          .filter(([, kind]) => !kind.isDerived)
          .map(([type, kind]) => [`Event${pascalCase(type)}`, eventFact(type, kind)]),
      ),
      Snapshot: snapshotFact([...factResources]),
      ...Object.fromEntries(
        redactableResources.map(resource => [
          `Redact${pascalCase(resource)}`,
          redactFact(resource, contract.redactionSchemas[resource]),
        ]),
      ),
      Erase: eraseFact,
      Reset: resetFact(contract.factSchemas.era, contract.factSchemas.era),
      Commit: commitFact,
    }).map(([name, schema]) => [name, plainSchema(schema)]),
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Facts of ${contract.profile.name}`,
    description: 'One line of NDJSON that the game sends to Chancery.',
    oneOf: Object.keys($defs).map(name => ({ $ref: `#/$defs/${name}` })),
    $defs,
  }
}

/** A put with the class of each field, also where the input schema differs from the returned one. */
function putSchema(contract: Contract, resource: (typeof factResources)[number]): TSchema {
  const { fields, factFields } = contract.resources[resource]
  const classified: Record<string, TSchema> = { ...fields, ...factFields }
  const data: JsonSchema = plainSchema(contract.factSchemas[resource])
  for (const [fieldName, member] of Object.entries(data.properties ?? {})) {
    const field: JsonSchema = { ...classified[fieldName] }
    member['x-class'] ??= field['x-class']
    if (field['x-scope']) member['x-scope'] ??= field['x-scope']
  }
  const put: JsonSchema = plainSchema(putFact(resource, contract.factSchemas[resource]))
  return { ...put, properties: { ...put.properties, data } }
}
