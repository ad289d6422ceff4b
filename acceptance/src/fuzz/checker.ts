import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { resolveRef, type Schema } from './document.ts'

/** Validates values against the schemas of a document, independently of the server. */
export interface Checker {
  /** The problems of a received value. A member that the document does not name is one. */
  problems(schema: Schema, value: unknown): string[]
  /** Whether the document allows to send a value. */
  accepts(schema: Schema, value: unknown): boolean
}

export function createChecker(document: object): Checker {
  const ajv = new Ajv2020({ strict: false, logger: false, discriminator: true })
  addFormats.default(ajv)
  ajv.addKeyword({
    keyword: 'x-decimals',
    type: 'number',
    validate: (decimals: number, value: number) => Number(value.toFixed(decimals)) === value,
  })
  const compileIn = (name: string, whole: object, prepare: (part: object) => object) => {
    ajv.addSchema(prepare(whole), name)
    const compiled = new WeakMap<Schema, ValidateFunction>()
    return (schema: Schema): ValidateFunction => {
      const known = compiled.get(schema)
      if (known) return known
      const absolute = JSON.stringify(prepare(schema)).replaceAll('"$ref":"#/', `"$ref":"${name}#/`)
      const made = ajv.compile(JSON.parse(absolute))
      compiled.set(schema, made)
      return made
    }
  }
  const received = compileIn('received', document, part => closed(part, document))
  const sent = compileIn('sent', document, part => part)
  return {
    problems(schema, value) {
      const validate = received(schema)
      if (validate(value)) return []
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `body${instancePath} ${message}${'additionalProperty' in params ? `: ${params.additionalProperty}` : ''}`,
      )
    },
    accepts: (schema, value) => sent(schema)(value),
  }
}

/**
 * A copy in which objects have only the members that they name. The document leaves them open for later versions; this server must not
 * add members that it does not describe. An alternative that allows every object, or later types, is dropped for the same reason.
 */
function closed<T>(part: T, document: object): T {
  if (Array.isArray(part)) return part.map(each => closed(each, document)) as T
  if (typeof part !== 'object' || part === null) return part
  const copy: Schema = Object.fromEntries(
    Object.entries(composed(part, document)).map(([name, inner]) => [name, closed(inner, document)]),
  )
  if (copy.anyOf?.some(isNamed)) copy.anyOf = copy.anyOf.filter(isNamed)
  if (copy.discriminator) {
    const { propertyName } = copy.discriminator
    copy.oneOf = copy.oneOf?.filter(
      variant => resolveRef(variant, document).properties?.[propertyName]?.const !== undefined,
    )
    // Ajv does not support the mapping: it reads the constants.
    copy.discriminator = { propertyName }
  }
  const isOpen = copy.properties !== undefined && copy.additionalProperties === undefined
  const isObject = [copy.type].flat().includes('object')
  return (isOpen && isObject ? { ...copy, additionalProperties: false } : copy) as T
}

/** An object with the members of the parts of its `allOf`: a closed object could not be a part of another. */
function composed(schema: Schema, document: object): Schema {
  const { allOf, ...own } = schema
  if (!allOf) return schema
  const parts = [...allOf.map(part => composed(resolveRef(part, document), document)), own]
  return {
    ...own,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

const isNamed = ({ type, properties, patternProperties, additionalProperties }: Schema): boolean =>
  type !== 'object' || Boolean(properties ?? patternProperties ?? additionalProperties)
