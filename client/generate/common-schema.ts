import type { PrintableSchema as Schema } from '@chancery/contract'

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The intersection of two games' schemas. Enums that differ become any text, member names that differ any name. */
export function commonSchema(one: Schema, other: Schema): Schema {
  const { enum: words, properties, items, ...rest } = one
  return {
    ...rest,
    ...(words && same(words, other.enum) ? { enum: words } : {}),
    ...(items && other.items ? { items: commonSchema(items, other.items) } : {}),
    ...(properties && other.properties ? commonMembers(properties, other.properties) : {}),
  }
}

function commonMembers(
  one: Record<string, Schema>,
  other: Record<string, Schema>,
): Pick<Schema, 'properties' | 'members'> {
  if (!same(Object.keys(one), Object.keys(other))) {
    const types = [...Object.values(one), ...Object.values(other)].map(({ type }) => type)
    const isOneType = types.every(type => same(type, types[0]))
    return { members: isOneType && types[0] ? { type: types[0] } : {} }
  }
  return {
    properties: Object.fromEntries(
      Object.entries(one).map(([name, schema]) => [name, commonSchema(schema, other[name] ?? {})]),
    ),
  }
}
