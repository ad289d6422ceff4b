import type { Schema } from './common-schema.ts'

const quote = (text: string) => `'${text.replaceAll("'", "\\'")}'`
const memberName = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : quote(name))
const literal = (value: unknown) => (typeof value === 'string' ? quote(value) : JSON.stringify(value))

/** A comment that an editor shows. Nothing for no text. */
export function comment(text = ''): string {
  if (text === '') return ''
  const safe = text.replaceAll('*/', '*\\/')
  return safe.includes('\n') ? `/**\n${safe.replace(/^/gm, ' * ')}\n */\n` : `/** ${safe} */\n`
}

/** The comment of a member: description, unit, scope and an example. */
function notes(schema: Schema): string {
  const example = schema.examples ? schema.examples[0] : schema.example
  const isPlain = (value: unknown) => typeof value !== 'object'
  const isShort = Array.isArray(example) ? example.every(isPlain) : isPlain(example ?? null)
  return comment(
    [
      schema.description,
      schema['x-unit'] && `In ${schema['x-unit']}.`,
      schema['x-scope'] && `Needs \`${schema['x-scope']}\`.`,
      isShort && `Example: \`${JSON.stringify(example)}\`.`,
    ]
      .filter(Boolean)
      .join(' '),
  )
}

/** Names of object types that occur several times, by their printed members. */
export type TypeNames = ReadonlyMap<string, string>

/** Members of an interface or an object type. `alwaysOptional` is for parameters. */
export function printMembers(schema: Schema, names?: TypeNames, alwaysOptional = false): string {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties)
    .map(([name, member]) => {
      const mark = alwaysOptional || !required.includes(name) ? '?' : ''
      return `${notes(member)}${memberName(name)}${mark}: ${printType(member, names)}`
    })
    .join('\n')
}

/** A schema as a TypeScript type. */
export function printType(schema: Schema, names?: TypeNames): string {
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length === 0) return 'unknown'
  return types.map(type => printOne(type, schema, names)).join(' | ')
}

function printOne(type: string, schema: Schema, names?: TypeNames): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array':
      return `(${printType(schema.items ?? {}, names)})[]`
    case 'object':
      if (schema.members) return `Record<string, ${printType(schema.members, names)}>`
      if (!schema.properties) return 'Record<string, unknown>'
      return names?.get(printMembers(schema)) ?? `{\n${printMembers(schema, names)}\n}`
    default:
      return type
  }
}
