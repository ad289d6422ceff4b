/** A JSON schema, as far as types need it. */
export interface PrintableSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, PrintableSchema>
  required?: string[]
  items?: PrintableSchema
  /** Set if the members' names are keys of the game profile. */
  members?: PrintableSchema
  description?: string
  examples?: unknown[]
  example?: unknown
  'x-unit'?: string
  'x-scope'?: string
}

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
function notes(schema: PrintableSchema): string {
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
export function printMembers(schema: PrintableSchema, names?: TypeNames, alwaysOptional = false): string {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties)
    .map(([name, member]) => {
      const mark = alwaysOptional || !required.includes(name) ? '?' : ''
      return `${notes(member)}${memberName(name)}${mark}: ${printType(member, names)}`
    })
    .join('\n')
}

/** A schema as a TypeScript type. */
export function printType(schema: PrintableSchema, names?: TypeNames): string {
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length === 0) return 'unknown'
  return types.map(type => printOne(type, schema, names)).join(' | ')
}

function printOne(type: string, schema: PrintableSchema, names?: TypeNames): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array':
      return arrayOf(printType(schema.items ?? {}, names))
    case 'object':
      if (schema.members) return `Record<string, ${printType(schema.members, names)}>`
      if (!schema.properties) return 'Record<string, unknown>'
      return names?.get(printMembers(schema)) ?? `{\n${printMembers(schema, names)}\n}`
    default:
      return type
  }
}

const arrayOf = (item: string) => (/^\w+$|^\{.*\}$/s.test(item) ? `${item}[]` : `(${item})[]`)
