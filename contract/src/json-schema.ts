import type { TSchema } from 'typebox'

/** A schema as plain JSON, without TypeBox's hidden properties. */
export interface JsonSchema {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: boolean | JsonSchema
  description?: string
  examples?: unknown[]
  'x-class'?: string
  'x-scope'?: string
  'x-unit'?: string
  [keyword: string]: unknown
}

/**
 * Copies a schema as plain JSON. `visit` gets each schema after its inner schemas and returns its replacement; a member or item for
 * which it returns undefined is omitted.
 */
export function mapSchema(
  schema: TSchema,
  visit: (schema: JsonSchema) => JsonSchema | undefined,
): JsonSchema | undefined {
  const copy: JsonSchema = { ...schema }
  if (copy.items) copy.items = mapSchema(copy.items, visit)
  if (copy.properties) {
    const kept = Object.entries(copy.properties).flatMap(([member, inner]) => {
      const rewritten = mapSchema(inner, visit)
      return rewritten ? [[member, rewritten] as const] : []
    })
    const members = Object.fromEntries(kept)
    copy.properties = members
    copy.required = copy.required?.filter(member => member in members)
  }
  return visit(definedOnly(copy))
}

/** A copy of a schema without some of its keywords. */
export function withoutKeywords(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/** A schema as plain JSON, without keywords for internal use. */
export const plainSchema = (schema: TSchema): JsonSchema =>
  mapSchema(schema, inner => withoutKeywords(inner, ['x-derived', 'x-input', 'x-text', 'x-line'])) ?? {}

const definedOnly = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
