import type { TSchema } from 'typebox'
import type { Contract } from '../../contract.ts'
import { errorBody } from '../../errors.ts'
import { factsSchema } from '../../facts-schema.ts'
import { type JsonSchema, mapSchema, withoutKeywords } from '../../json-schema.ts'
import { refTo } from '../../openapi/document.ts'
import { documented } from '../../openapi/schemas.ts'
import { type FactsPlace, factsKeyword } from '../facts.ts'

const factComponents: Record<FactsPlace, string> = { line: 'Fact', batch: 'BatchFact' }

/** Collects the schemas that the document names. */
export function createSchemas(contract: Contract) {
  const components: Record<string, JsonSchema> = {}

  /** A named schema is a component, whatever stands in it. */
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
    /** What is sent: an unknown member is refused, so every object is closed. */
    request: (schema: TSchema): JsonSchema => within(withExamples(schema)),
    /** What is answered: members may be added within a version, so no object is closed. */
    answer: (schema: TSchema): JsonSchema => within(documented(schema)),
    /** Every fact of the game's profile, and the body of errors. */
    addShared(): void {
      const { $defs = {} } = factsSchema(contract) as { $defs?: Record<string, JsonSchema> }
      const names = Object.keys($defs)
      // A fact fits one of them alone. `oneOf` would have every reader try them all, and linters doubt it: they do not look into `data`.
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

/** The example of a shape as JSON Schema has it. */
const withExamples = (schema: TSchema): JsonSchema =>
  mapSchema(schema, ({ example, 'x-line': _line, ...rest }) =>
    example === undefined ? rest : { ...rest, examples: [example] },
  ) ?? {}

export type Schemas = ReturnType<typeof createSchemas>
