import {
  type Contract,
  type DerivedList,
  type FactResource,
  isNullable,
  type Operation,
  type Parameters,
  type PublicOf,
  primaryKeys,
  type Resource,
  type ResourceOf,
} from '@chancery/contract'
import { createBatchLoader } from './batch-loader.ts'
import { raw, type Sql, sql } from './database.ts'
import { publicColumns, type ReadContext } from './fact-columns.ts'
import { allOf, anyOf, type Listing, type Page, type PageRequest, readPage } from './paging.ts'

type Comparison = NonNullable<Operation['parameters'][string]['compares']>

/** The condition that a field has one of the values; undefined if it is not a list. */
type OverlapOf = (field: string, values: unknown[], comparison: Comparison) => Sql | undefined

/** The conditions of the filters that compare a field with their value. `columnOf`: the column of a field. */
export const comparisons = (
  { parameters }: Operation,
  values: object,
  columnOf: (field: string) => string,
  overlapOf: OverlapOf = () => undefined,
): Sql[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const { compares } = parameters[name] ?? {}
    if (!compares || value === undefined) return []
    const { by, of } = compares
    const conditions = compares.fields.map(field => {
      const column = raw(columnOf(field))
      if (of)
        return sql`${column} in (select id from ${raw(`chancery_world.${of.resource}`)} where ${raw(of.field)} = ${value})`
      const overlap = overlapOf(field, [value].flat(), compares)
      if (overlap) return overlap
      return by === 'any' ? sql`${column} = any(${value})` : sql`${column} ${operators[by]} ${value}`
    })
    return anyOf(conditions)
  })

const operators = { equal: raw('='), min: raw('>='), max: raw('<='), below: raw('<') }

/** Finds an item by its id, of a resource whose public fields are all stored. */
export function createFindItem<R extends FactResource>({ contract, pools }: ReadContext, resource: R) {
  const key = primaryKeys[resource]
  const from = raw(`from chancery_world.${resource} t where t.${key} = any(`)
  const columns = publicColumns(resource, 't')({ contract })
  return createBatchLoader(async ids => {
    const rows = await pools.lookups.rows<PublicOf<ResourceOf<R>>>(sql`select ${columns} ${from}${ids})`)
    return new Map(rows.map(row => [String((row as Record<string, unknown>)[key]), row]))
  })
}

/** Reads a page of a list whose query is derived from its operation. */
export function createDerivedList<R extends FactResource>(
  { contract, pools }: ReadContext,
  operation: DerivedList<Parameters, R>,
) {
  const { resource } = operation
  const table = raw(`chancery_world.${resource}`)
  const key = primaryKeys[resource]
  const columns = publicColumns(resource, 't')({ contract })
  const { fields }: Resource = contract.resources[resource]
  const overlapOf: OverlapOf = (field, values, { by, fields: compared }) => {
    if ((fields[field] as { type?: unknown } | undefined)?.type !== 'array') return undefined
    const overlap = sql`t.${raw(field)} && ${values}`
    if (by !== 'any' || compared.length > 1) return overlap
    // The planner assumes each id in one of 200 rows, so that it would read half of the table for a hundred ids. Of a subquery it assumes
    // few rows, and reads them first. Beside other fields it costs more than it saves.
    return sql`t.${raw(key)} = any(array(select t.${raw(key)} from ${table} t where ${overlap}))`
  }
  const listing: Omit<Listing, 'from'> = {
    columns,
    order: orderOf(contract, operation),
    reversed: orderOf(contract, operation, { isReversed: true }),
    deferredJoin: {
      alias: sql`t`,
      columns: raw(
        Object.keys(operation.order)
          .map(field => `t.${field}`)
          .join(', '),
      ),
      joins: sql`join ${table} t on ${raw(`t.${key} = chosen.${key}`)}`,
    },
  }
  return (values: PageRequest): Promise<Page<PublicOf<ResourceOf<R>>>> => {
    const where = allOf(comparisons(operation, values, field => `t.${field}`, overlapOf))
    return readPage(pools.public, values, { ...listing, from: sql`${table} t where ${where}` })
  }
}

function orderOf(
  { resources }: Contract,
  { resource, order }: DerivedList,
  { isReversed = false } = {},
): Sql {
  const { fields }: { fields: Record<string, object> } = resources[resource]
  const parts = Object.entries(order).map(([field, direction]) => {
    const isDescending = (direction === 'descending') !== isReversed
    // Only where it matters: otherwise the order would not be that of the index.
    const nulls = isNullable(fields[field] ?? {}) ? ` nulls ${isReversed ? 'first' : 'last'}` : ''
    return `t.${field}${isDescending ? ' desc' : ''}${nulls}`
  })
  return raw(parts.join(', '))
}
