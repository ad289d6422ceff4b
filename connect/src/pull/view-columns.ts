import { type Contract, type FactResource, primaryKeys } from '@chancery/contract'
import type { ValueSchema } from '../coerce-value.ts'
import { ConnectError } from '../errors.ts'
import type { ResultColumn } from '../game-database/game-views.ts'

/** A column of a view, and the field that it fills. */
export interface ViewColumn {
  name: string
  type: string
  /** `["economy", "credits"]` for a column that is called `economy.credits`. */
  path: string[]
  category: string
  schema: ValueSchema
}

/** `chancery_out.nation` */
export const viewName = (schema: string, resource: FactResource) => `${schema}.${resource}`

/** Maps the columns of a view to fields. Throws a ConnectError with a line for each column that is not a field, and for a missing key. */
export function readColumns(
  { factSchemas, profile }: Pick<Contract, 'factSchemas' | 'profile'>,
  resource: FactResource,
  view: string,
  columns: ResultColumn[],
): ViewColumn[] {
  const whole = factSchemas[resource] as ValueSchema
  const problems: string[] = []
  const read = columns.flatMap(({ name, type, category }): ViewColumn[] => {
    const path = name.split('.')
    const { schema, known } = schemaAt(whole, path)
    if (known.length < path.length) {
      const place = known.length === 0 ? `a ${resource}` : known.join('.')
      const members = Object.keys(schema.properties ?? {})
      const allowed = members.length > 0 ? `it takes ${members.join(', ')}` : 'it has no members'
      problems.push(
        `the column ${name} is not a field of ${place} in the profile of ${profile.name}: ${allowed}`,
      )
      return []
    }
    const wanted = mismatch(schema, category, type)
    if (wanted !== undefined)
      problems.push(`the column ${name} is ${type} and must be ${wanted}: cast it in the view`)
    return [{ name, type, category, path, schema }]
  })
  const key = primaryKeys[resource]
  if (!columns.some(({ name }) => name === key))
    problems.push(`the column ${key} is missing: it is the key of each ${resource}`)
  for (const { name } of read) {
    const inner = read.find(other => other.name.startsWith(`${name}.`))
    if (inner) problems.push(`the columns ${name} and ${inner.name} fill the same field: keep one`)
  }
  if (problems.length > 0) throw new ConnectError(problems.map(problem => `${view}: ${problem}`).join('\n'))
  return read
}

/** The schema at the longest part of a path that exists, and that part. */
function schemaAt(whole: ValueSchema, path: string[]): { schema: ValueSchema; known: string[] } {
  let schema = whole
  for (const [index, word] of path.entries()) {
    const { properties = {} } = schema
    const member = Object.hasOwn(properties, word) ? properties[word] : undefined
    if (member === undefined) return { schema, known: path.slice(0, index) }
    schema = member
  }
  return { schema, known: path }
}

const isJson = (type: string) => type === 'json' || type === 'jsonb'

/** The type that a column must have; undefined if its type fits the field. */
function mismatch(schema: ValueSchema, category: string, type: string): string | undefined {
  const wanted = [schema.type ?? []].flat()
  // `select null as motto` has the type unknown.
  if (isJson(type) || type === 'unknown' || category === 'v') return undefined
  if (wanted.includes('object')) return 'Cs'.includes(category) ? undefined : 'json or jsonb'
  if (wanted.includes('array')) return 'As'.includes(category) ? undefined : 'an array, json or jsonb'
  if (wanted.includes('number') || wanted.includes('integer'))
    return 'Nn'.includes(category) ? undefined : 'a number'
  if (wanted.includes('boolean')) return 'Bn'.includes(category) ? undefined : 'boolean'
  if (schema.format === 'date-time') return 'DSXns'.includes(category) ? undefined : 'a timestamp or a date'
  return 'NSEUXns'.includes(category) ? undefined : 'text'
}
