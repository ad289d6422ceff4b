import {
  type Contract,
  type DerivedList,
  type FactResource,
  isNullable,
  type Operation,
  type Parameters,
  type PublicOf,
  primaryKeys,
  type ResourceOf,
} from '@chancery/contract'
import { raw, type Sql, sql } from './database.ts'
import { publicColumns, type ReadContext } from './fact-columns.ts'
import { allOf, anyOf, type Listing, type Page, type PageRequest, readPage } from './paging.ts'

/** The conditions of the filters that compare a field with their value. `columnOf`: the column of a field. */
export const comparisons = (
  { parameters }: Operation,
  values: object,
  columnOf: (field: string) => string,
): Sql[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const { compares } = parameters[name] ?? {}
    if (!compares || value === undefined) return []
    const conditions = compares.fields.map(field => {
      const column = raw(columnOf(field))
      return compares.by === 'any'
        ? sql`${column} = any(${value})`
        : sql`${column} ${operators[compares.by]} ${value}`
    })
    return anyOf(conditions)
  })

const operators = { equal: raw('='), min: raw('>='), max: raw('<='), below: raw('<') }

/** Reads a page of a list whose query is derived from its operation. */
export function createDerivedList<R extends FactResource>(
  { contract, pools }: ReadContext,
  operation: DerivedList<Parameters, R>,
) {
  const { resource } = operation
  const table = raw(`chancery_world.${resource}`)
  const key = primaryKeys[resource]
  const columns = publicColumns(resource, 't')({ contract })
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
    const where = allOf(comparisons(operation, values, field => `t.${field}`))
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
