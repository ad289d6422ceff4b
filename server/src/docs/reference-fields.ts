import { escaped } from './layout.ts'

/** The parts of a JSON Schema that the reference renders. */
export interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  discriminator?: { propertyName: string }
  contentSchema?: Schema
  $ref?: string
  [keyword: string]: unknown
}

/** A row of a table of fields or parameters. */
export interface Field {
  name: string
  schema: Schema
  description: string
  /** Class, location and whether it is required. */
  remarks: string[]
}

export const componentOf = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1)

export const schemaId = (component: string): string => `object-${component}`

const linkTo = (component: string) => `<a href="#${schemaId(component)}">${component}</a>`

/** The type of a value in words, as HTML. */
export function typeOf(schema: Schema): string {
  const component = componentOf(schema)
  if (component) return linkTo(component)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return variants.map(typeOf).join(' or ')
  if (schema.contentSchema) return `text, of ${typeOf(schema.contentSchema)}`
  if (schema.const !== undefined) return `<code>${escaped(String(schema.const))}</code>`
  const types = [schema.type ?? []].flat().map(type => (type === 'array' ? arrayOf(schema) : type))
  return `${schema.not ? 'any other ' : ''}${types.join(' or ') || 'any value'}`
}

const arrayOf = ({ items }: Schema) => (items ? `list of ${typeOf(items)}` : 'list')

const boundsOf = ({
  minimum,
  maximum,
  maxLength,
  maxItems,
  format,
  default: usual,
  ...rest
}: Schema): string[] => {
  const bound = (label: string, value: unknown) =>
    value === undefined || Number(value) > 1e15 ? [] : [`${label} ${String(value)}`]
  return [
    ...(typeof format === 'string' ? [format] : []),
    ...bound('from', minimum),
    ...bound('to', maximum),
    ...bound('max length', maxLength),
    ...bound('max items', maxItems),
    ...bound('default', usual),
    ...bound('unit', rest['x-unit']),
  ]
}

/** All fields of an object, those of inner objects and lists by their path. */
export function fieldsOf(schema: Schema, prefix = '', required?: readonly string[]): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`
    const { description = '' } = member
    const marks = [member['x-class'], member['x-scope']].filter(mark => typeof mark === 'string')
    const remarks = [
      ...marks.map(mark => mark.replaceAll('_', ' ')),
      ...(required?.includes(name) ? ['required'] : []),
    ]
    const inner = [member.items ?? []].flat()
    return [
      { name: path, schema: member, description, remarks },
      ...fieldsOf(member, `${path}.`, required && (member.required ?? [])),
      ...inner.flatMap(item => fieldsOf(item, `${path}[].`, required && (item.required ?? []))),
    ]
  })
}

/** The components that an object is composed of, as a sentence; empty for others. */
export const partsOf = ({ allOf = [] }: Schema): string =>
  allOf.length === 0 ? '' : `<p>The fields of ${allOf.map(typeOf).join(' and ')}, and:</p>`

/**
 * A schema as one object: with the members of all parts of `allOf`; of `oneOf` with the members of all variants, each of which has
 * the values of any variant.
 */
export function asObject(schema: Schema, schemas: Record<string, Schema>): Schema {
  const resolved = (part: Schema) => asObject(schemas[componentOf(part) ?? ''] ?? part, schemas)
  const { allOf, oneOf, discriminator, ...own } = schema
  if (allOf) {
    const parts = [...allOf.map(resolved), own]
    return {
      ...own,
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
    }
  }
  if (!oneOf || !discriminator) return schema
  const variants = oneOf.map(variant => resolved(variant).properties ?? {})
  const names = new Set(variants.flatMap(Object.keys))
  const members = [...names].map((name): [string, Schema] => {
    const values = new Map(
      variants.flatMap(({ [name]: member }) => (member ? [[JSON.stringify(member), member]] : [])),
    )
    const [first = {}, ...others] = values.values()
    if (others.length === 0) return [name, first]
    const { propertyName } = discriminator
    const description = name === propertyName ? first.description : `Depends on \`${propertyName}\`.`
    return [name, { ...(description && { description }), oneOf: [first, ...others] }]
  })
  return { ...own, properties: Object.fromEntries(members) }
}

/** A table of fields or parameters; `inline` renders Markdown. */
export function renderFields(
  fields: readonly Field[],
  head: string,
  inline: (markdown: string) => string,
): string {
  const rows = fields.map(({ name, schema, description, remarks }) => {
    const words = (schema.enum ?? schema.items?.enum ?? []).map(
      word => `<code>${escaped(String(word))}</code>`,
    )
    const said = [description && inline(description), words.length > 0 ? `One of ${words.join(' ')}.` : '']
    const facts = [typeOf(schema), ...[...remarks, ...boundsOf(schema)].map(escaped)].join(' · ')
    return `<tr><th scope="row"><code>${escaped(name)}</code> <small>${facts}</small></th><td>${said.filter(Boolean).join(' ')}</td></tr>`
  })
  return `<table class="fields"><thead><tr><th scope="col">${head}</th><th scope="col">Description</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
}
