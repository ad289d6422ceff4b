import { type FactResource, primaryKeys } from '@chancery/contract'
import { fitValue, isNullable, parseExactly, type ValueSchema } from '../fit-value.ts'
import type { ViewColumn } from './columns.ts'

/** Writes rows of one view as facts. */
export type PutWriter = (key: string, rowJson: string) => string

interface Node {
  schema: ValueSchema
  column?: ViewColumn
  members?: Map<string, Node>
}

/** `rowJson` is what `to_json` makes of the row. */
export function putWriter(resource: FactResource, whole: ValueSchema, columns: ViewColumn[]): PutWriter {
  const tree = treeOf(whole, columns)
  const keyField = primaryKeys[resource]
  return (key, rowJson) => {
    const row = parseExactly(rowJson) as Record<string, unknown>
    // The key as PostgreSQL writes it as text: by that the row is known.
    const data = { ...memberValues(tree, row), [keyField]: key }
    return JSON.stringify({ op: 'put', resource, data })
  }
}

function treeOf(whole: ValueSchema, columns: ViewColumn[]): Map<string, Node> {
  const tree = new Map<string, Node>()
  for (const column of columns) {
    let schema = whole
    let members = tree
    for (const [index, word] of column.path.entries()) {
      schema = schema.properties?.[word] ?? {}
      const node: Node = members.get(word) ?? { schema }
      members.set(word, node)
      if (index === column.path.length - 1) node.column = column
      else {
        node.members ??= new Map()
        members = node.members
      }
    }
  }
  return tree
}

function memberValues(tree: Map<string, Node>, row: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [word, { schema, column, members }] of tree) {
    const value = column ? columnValue(column, row) : objectValue(schema, members ?? new Map(), row)
    if (value !== undefined) values[word] = value
  }
  return values
}

function columnValue({ name, type, schema }: ViewColumn, row: Record<string, unknown>): unknown {
  const value = row[name]
  // The blanks that fill a char(n) belong to its type.
  return fitValue(
    schema,
    type === 'character' && typeof value === 'string' ? value.replace(/ +$/, '') : value,
  )
}

/** Where none of its members is known, the whole is not known. */
function objectValue(schema: ValueSchema, members: Map<string, Node>, row: Record<string, unknown>): unknown {
  const isUnknown = isNullable(schema) && columnsOf(members).every(({ name }) => row[name] === null)
  return isUnknown ? null : memberValues(members, row)
}

function columnsOf(members: Map<string, Node>): ViewColumn[] {
  return [...members.values()].flatMap(({ column, members: inner }) =>
    column ? [column] : columnsOf(inner ?? new Map()),
  )
}
