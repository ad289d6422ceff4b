import type { Catalog, Grant, Table } from './catalog.ts'

const header = `-- The database as the migrations leave it, read from its catalogs: made by \`npm run schema\`, to be read and compared.
-- What changes the database is a new file in migrations/. Tables and functions without an owner here belong to the role that migrates.
`

export function schemaText({ extensions, schemas, tables, functions, triggers, grants }: Catalog): string {
  const grantsOn = (name: string) => grants.filter(({ on }) => on === name).map(grantText)
  const paragraphs = [
    extensions.map(name => `create extension ${name};`),
    ...schemas.flatMap(schema => [
      [`create schema ${schema};`, ...grantsOn(`schema ${schema}`)],
      ...tables
        .filter(table => table.schema === schema)
        .map(table => [...tableText(table), ...grantsOn(`${table.schema}.${table.name}`)]),
      ...functions
        .filter(({ schema: its }) => its === schema)
        .map(({ signature, definition }) => [
          `${definition.trimEnd()};`,
          ...grantsOn(`function ${signature}`),
        ]),
      triggers.filter(({ schema: its }) => its === schema).map(({ definition }) => `${definition};`),
    ]),
  ]
  return [header, ...paragraphs.filter(lines => lines.length > 0).map(lines => `${lines.join('\n')}\n`)].join(
    '\n',
  )
}

function tableText({
  schema,
  name,
  isUnlogged,
  owner,
  options,
  columns,
  constraints,
  indexes,
  statistics,
}: Table): string[] {
  const members = [...columns, ...constraints].map(member => `  ${member}`)
  return [
    `create ${isUnlogged ? 'unlogged ' : ''}table ${schema}.${name} (`,
    members.join(',\n'),
    `)${options ? ` with (${options.join(', ')})` : ''};`,
    ...(owner ? [`alter table ${schema}.${name} owner to ${owner};`] : []),
    ...[...indexes, ...statistics].map(text => `${text};`),
  ]
}

function grantText({ on, role, privileges }: Grant): string {
  return `grant ${privileges.join(', ')} on ${on} to ${role};`
}
