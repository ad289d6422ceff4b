import { type Contract, type FactResource, primaryKeys, requiredOnCreation } from '@chancery/contract'
import type { ValueSchema } from '../fit-value.ts'
import { viewName } from './columns.ts'

/** A field's schema as far as it is shown. */
interface FieldSchema extends ValueSchema {
  description?: string
  enum?: unknown[]
  'x-class'?: string
  'x-scope'?: string
  'x-unit'?: string
  properties?: Record<string, FieldSchema>
}

interface Column {
  /** Beside a member that is needed: what Chancery finds out by itself where nothing is said. */
  isFilledIn?: boolean
  name: string
  schema: FieldSchema
  /** Where the member says nothing of it, the field that it is in does. */
  readers: string
}

/**
 * SQL that makes a view for each resource, with every field, its type and who could read it. It runs as it is and makes views
 * without rows: the operator puts his own columns and tables in.
 */
export function viewSkeletons(contract: Contract, schema: string, resources: FactResource[]): string {
  return [head(schema), ...resources.map(resource => skeletonOf(contract, schema, resource))].join('\n')
}

const head = (
  schema: string,
) => `-- The views that chancery pull reads, each named and shaped like a resource of Chancery.
-- Put your columns in the place of null::…, and your tables in the place of "where false". Lines that you do not need go;
-- a field that no column says stays as it is. Those behind a second -- are read by few or nobody: say them only if you want to.
-- To change a view, drop that view alone: "drop schema ${schema} cascade" takes along the outbox and what triggers need.

create schema if not exists ${schema};
`

function skeletonOf(contract: Contract, schema: string, resource: FactResource): string {
  const { fields, factFields } = contract.resources[resource]
  const classified = { ...fields, ...factFields } as Record<string, FieldSchema>
  const needed = new Set([
    primaryKeys[resource] as string,
    ...requiredOnCreation(contract.resources[resource]),
  ])
  const supplied = contract.factSchemas[resource].properties as Record<string, FieldSchema>
  const columns = Object.entries(supplied).flatMap(([name, field]) =>
    columnsOf(name, field, readersOf(classified[name] ?? field)),
  )
  // The key comes first: a comma stands before each other column.
  columns.sort(
    (one, other) => Number(other.name === primaryKeys[resource]) - Number(one.name === primaryKeys[resource]),
  )
  return [
    `-- ${contract.resources[resource].description}`,
    `create view ${viewName(schema, resource)} as`,
    'select',
    ...columns.flatMap((column, index) => linesOf(column, index === 0, isNeeded(column, needed))),
    'where false;',
    '',
  ].join('\n')
}

const isNeeded = ({ name }: Column, needed: Set<string>) =>
  needed.has(name) || (name.endsWith('.nation_id') && needed.has(name.split('.')[0] ?? ''))

/** An object is a column for each of its members; a list is one column. */
function columnsOf(name: string, schema: FieldSchema, readers: string): Column[] {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return [{ name, schema, readers }]
  const needsMember = Object.keys(schema.properties ?? {}).includes('nation_id')
  return members
    .flatMap(([member, inner]) =>
      columnsOf(`${name}.${member}`, inner, inner['x-class'] ? readersOf(inner) : readers),
    )
    .map(column => (needsMember ? { ...column, isFilledIn: true } : column))
}

function readersOf(field: FieldSchema): string {
  const scope = field['x-scope'] ?? ''
  switch (field['x-class']) {
    case 'player_private':
      return `read by the nation’s player, with ${scope}`
    case 'alliance_private':
      return `read by members of the alliance, with ${scope}`
    case 'admin_only':
      return 'read by nobody outside'
    default:
      return ''
  }
}

function linesOf(
  { name, schema, readers, isFilledIn = false }: Column,
  isFirst: boolean,
  isNeeded: boolean,
): string[] {
  const words = schema.enum?.filter(word => word !== null).join(', ')
  const notes = [
    schema.description ?? '',
    words ? `One of ${words}.` : '',
    schema['x-unit'] ? `In ${schema['x-unit']}.` : '',
    isNeeded ? 'Needed.' : '',
    readers === '' ? '' : `Optional; ${readers}.`,
  ].filter(note => note !== '')
  const column = /^[a-z_]\w*$/.test(name) ? name : `"${name}"`
  const isLeftOut = (readers !== '' || isFilledIn) && !isNeeded
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
