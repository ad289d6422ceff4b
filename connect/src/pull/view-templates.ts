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

/** What differs between databases in a template. */
interface Dialect {
  head(schema: string): string
  /** A column whose name may need it: with a dot, or in MySQL a keyword (`rank`). */
  quoted(name: string): string
  /** Null of the type that a field needs. */
  nullOf(field: FieldSchema): string
  withoutRows: string
  viewName(schema: string, resource: FactResource): string
}

const dialects = {
  postgresql: {
    head: schema => `-- Replace null::… with your columns, and "where false" with your tables. Delete lines that you do not need: a field without a column
-- is not changed. Lines that begin with a second -- are optional: few or no readers see them.
-- To change a view, drop that view alone: "drop schema ${schema} cascade" also drops the outbox and the functions that triggers call.

create schema if not exists ${schema};
`,
    quoted: name => (/^[a-z_]\w*$/.test(name) ? name : `"${name}"`),
    nullOf: field => `null::${sqlType(field)}`,
    withoutRows: 'where false',
    viewName,
  },
  mysql: {
    head: schema => `-- Replace cast(null …) with your columns, and "from dual where false" with your tables. Delete lines that you do not need: a field without
-- a column is not changed. Lines that begin with a second -- are optional: few or no readers see them.
-- A time is a datetime in UTC, a timestamp, or an integer of seconds since 1970. Objects and lists are JSON, also as text: json_object('food', food).
-- Names that are stored with HTML entities (&amp;) have to be written as text: replace(name, '&amp;', '&').

create database if not exists ${schema} character set utf8mb4;
`,
    quoted: name => `\`${name}\``,
    nullOf: field => `cast(null as ${mysqlType(field)})`,
    withoutRows: 'from dual where false',
    viewName,
  },
  sqlite: {
    head: schema => `-- Replace null with your columns, and "where false" with your tables. Delete lines that you do not need: a field without a column is not
-- changed. Lines that begin with a second -- are optional: few or no readers see them.
-- A time is a text in UTC, 2026-05-20 10:00:00, or an integer of seconds since 1970. Objects and lists are JSON: json_object('food', food).
-- SQLite has no schemas: each view is named ${schema}_ and its resource.
`,
    quoted: name => (/^[a-z_]\w*$/.test(name) ? name : `"${name}"`),
    nullOf: () => 'null',
    withoutRows: 'where false',
    viewName: (schema, resource) => `${schema}_${resource}`,
  },
} satisfies Record<string, Dialect>

export type DialectName = keyof typeof dialects
export const dialectNames = Object.keys(dialects) as DialectName[]

/** The dialect of an address of a game's database. */
export function dialectOf(url: string): DialectName {
  if (/^(mysql|mariadb):/.test(url)) return 'mysql'
  return url.startsWith('sqlite:') ? 'sqlite' : 'postgresql'
}

/**
 * SQL that creates a view for each resource, with every field, its type and its readers. It runs unchanged and creates views
 * without rows: the operator fills in columns and tables.
 */
export function viewTemplates(
  contract: Contract,
  schema: string,
  resources: FactResource[],
  dialectName: DialectName = 'postgresql',
): string {
  const dialect = dialects[dialectName]
  return [
    `-- The views that chancery pull reads, each named and shaped like a resource of Chancery.\n${dialect.head(schema)}`,
    ...resources.map(resource => templateOf(contract, schema, resource, dialect)),
  ].join('\n')
}

function templateOf(contract: Contract, schema: string, resource: FactResource, dialect: Dialect): string {
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
    `create view ${dialect.viewName(schema, resource)} as`,
    'select',
    ...columns.flatMap((column, index) =>
      linesOf(column, index === 0, isRequired(column, required), dialect),
    ),
    `${dialect.withoutRows};`,
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
  dialect: Dialect,
): string[] {
  const words = schema.enum?.filter(word => word !== null).join(', ')
  const notes = [
    schema.description ?? '',
    words ? `One of ${words}.` : '',
    schema['x-unit'] ? `In ${schema['x-unit']}.` : '',
    isRequired ? 'Required.' : '',
    readers === '' ? '' : `Optional; ${readers}.`,
  ].filter(note => note !== '')
  const isLeftOut = (readers !== '' || isFilledIn) && !isRequired
  return [
    ...(notes.length === 0 ? [] : [`  -- ${notes.join(' ').replace(/\s+/g, ' ')}`]),
    `  ${isLeftOut ? '-- ' : ''}${isFirst ? '  ' : ', '}${dialect.nullOf(schema)} as ${dialect.quoted(name)}`,
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

function mysqlType({ type, format }: FieldSchema): string {
  const types = [type ?? []].flat()
  if (types.includes('integer')) return 'signed'
  if (types.includes('boolean')) return 'unsigned'
  if (types.includes('number')) return 'decimal(30, 8)'
  return format === 'date-time' ? 'datetime' : 'char'
}
