import { type Contract, type FactResource, primaryKeys, requiredOnCreation } from '@chancery/contract'
import type { ValueSchema } from '../coerce-value.ts'
import { viewName } from './view-columns.ts'

/** The keywords of a field's schema that are shown. */
interface FieldSchema extends ValueSchema {
  description?: string
  enum?: unknown[]
  'x-class'?: string
  'x-scope'?: string
  'x-unit'?: string
  properties?: Record<string, FieldSchema>
}

interface Column {
  /** Chancery derives it from a required sibling unless it is given. */
  isFilledIn?: boolean
  name: string
  schema: FieldSchema
  /** Inherited from the field that it is in. */
  readers: string
}

/**
 * SQL that creates a view for each resource, with every field, its type and its readers. It runs unchanged and creates views
 * without rows: the operator fills in columns and tables.
 */
export function viewTemplates(contract: Contract, schema: string, resources: FactResource[]): string {
  return [head(schema), ...resources.map(resource => templateOf(contract, schema, resource))].join('\n')
}

const head = (
  schema: string,
) => `-- The views that chancery pull reads, each named and shaped like a resource of Chancery.
-- Replace null::… with your columns, and "where false" with your tables. Delete lines that you do not need: a field without a column
-- is not changed. Lines that begin with a second -- are optional: few or no readers see them.
-- To change a view, drop that view alone: "drop schema ${schema} cascade" also drops the outbox and the functions that triggers call.

create schema if not exists ${schema};
`

function templateOf(contract: Contract, schema: string, resource: FactResource): string {
  const { fields, factFields } = contract.resources[resource]
  const classified = { ...fields, ...factFields } as Record<string, FieldSchema>
  const required = new Set([
    primaryKeys[resource] as string,
    ...requiredOnCreation(contract.resources[resource]),
  ])
  const supplied = contract.factSchemas[resource].properties as Record<string, FieldSchema>
  const columns = Object.entries(supplied).flatMap(([name, field]) =>
    columnsOf(name, field, readersOf(classified[name] ?? field)),
  )
  // The key comes first: other columns begin with a comma.
  columns.sort(
    (one, other) => Number(other.name === primaryKeys[resource]) - Number(one.name === primaryKeys[resource]),
  )
  return [
    `-- ${contract.resources[resource].description}`,
    `create view ${viewName(schema, resource)} as`,
    'select',
    ...columns.flatMap((column, index) => linesOf(column, index === 0, isRequired(column, required))),
    'where false;',
    '',
  ].join('\n')
}

const isRequired = ({ name }: Column, required: Set<string>) =>
  required.has(name) || (name.endsWith('.nation_id') && required.has(name.split('.')[0] ?? ''))

/** A column for each member of an object; a list is one column. */
function columnsOf(name: string, schema: FieldSchema, readers: string): Column[] {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return [{ name, schema, readers }]
  const hasRequiredMember = Object.keys(schema.properties ?? {}).includes('nation_id')
  return members
    .flatMap(([member, inner]) =>
      columnsOf(`${name}.${member}`, inner, inner['x-class'] ? readersOf(inner) : readers),
    )
    .map(column => (hasRequiredMember ? { ...column, isFilledIn: true } : column))
}

function readersOf(field: FieldSchema): string {
  const scope = field['x-scope'] ?? ''
  switch (field['x-class']) {
    case 'player_private':
      return `read by the nation’s player, with ${scope}`
    case 'alliance_private':
      return `read by members of the alliance, with ${scope}`
    case 'admin_only':
      return 'not readable through the API'
    default:
      return ''
  }
}

function linesOf(
  { name, schema, readers, isFilledIn = false }: Column,
  isFirst: boolean,
  isRequired: boolean,
): string[] {
  const words = schema.enum?.filter(word => word !== null).join(', ')
  const notes = [
    schema.description ?? '',
    words ? `One of ${words}.` : '',
    schema['x-unit'] ? `In ${schema['x-unit']}.` : '',
    isRequired ? 'Required.' : '',
    readers === '' ? '' : `Optional; ${readers}.`,
  ].filter(note => note !== '')
  const column = /^[a-z_]\w*$/.test(name) ? name : `"${name}"`
  const isLeftOut = (readers !== '' || isFilledIn) && !isRequired
  return [
    `  -- ${notes.join(' ').replace(/\s+/g, ' ')}`,
    `  ${isLeftOut ? '-- ' : ''}${isFirst ? '  ' : ', '}null::${sqlType(schema)} as ${column}`,
  ]
}

function sqlType({ type, format, items }: FieldSchema): string {
  const types = [type ?? []].flat()
  if (types.includes('integer')) return 'bigint'
  if (types.includes('number')) return 'numeric'
  if (types.includes('boolean')) return 'boolean'
  if (types.includes('array')) return [items?.type ?? []].flat().includes('string') ? 'text[]' : 'jsonb'
  if (types.includes('object')) return 'jsonb'
  return format === 'date-time' ? 'timestamptz' : 'text'
}
