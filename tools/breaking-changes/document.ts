/** The parts of an OpenAPI 3.1 document that are compared. */
export interface Document {
  paths: Record<string, Record<string, Operation>>
  /** Requests that the service sends, by name. */
  webhooks?: Record<string, Record<string, Operation>>
  security?: Security[]
  components: {
    schemas?: Record<string, Schema>
    responses?: Record<string, Response>
    parameters?: Record<string, Parameter>
    headers?: Record<string, Header>
  }
}

export interface Operation {
  operationId: string
  security?: Security[]
  'x-scope'?: string
  'x-include-scopes'?: Record<string, string>
  'x-roles'?: string[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Response | Reference>
}

/** Schemes that a request needs together. */
export type Security = Record<string, unknown>

export interface Reference {
  $ref: string
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  style?: string
  explode?: boolean
  schema: Schema
}

export interface Response {
  description?: string
  headers?: Record<string, Header | Reference>
  content?: Content
}

export interface Header {
  schema?: Schema
}

export type Content = Record<string, { schema?: Schema }>

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
  discriminator?: { propertyName: string }
  contentSchema?: Schema
  contentMediaType?: string
  minimum?: number
  exclusiveMinimum?: number
  minLength?: number
  minItems?: number
  minProperties?: number
  maximum?: number
  exclusiveMaximum?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  uniqueItems?: boolean
  pattern?: string
  format?: string
  'x-decimals'?: number
  'x-scope'?: string
  'x-known-words-only'?: boolean
}

/** `request`: callers send it; `response`: they receive it. */
export type Direction = 'request' | 'response'

/** The name of a component: the end of its reference. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)

/** Follows a reference; any other value is returned as it is. An unresolved reference is an empty component. */
export function resolve<T extends object>(
  value: T | Reference,
  components: Record<string, T> | undefined,
): Partial<T> {
  if (!isReference(value)) return value
  return components?.[nameOf(value.$ref)] ?? {}
}

/** An object with all members of the parts of its `allOf`, except components that are `left out`; any other schema as it is. */
export function withAllParts(schema: Schema, document: Document, leftOut: Set<string> = new Set()): Schema {
  const { allOf, ...own } = schema
  if (!allOf) return schema
  const parts = [
    ...allOf
      .filter(({ $ref }) => $ref === undefined || !leftOut.has($ref))
      .map(part => withAllParts(resolve(part, document.components.schemas), document)),
    own,
  ]
  return {
    ...own,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/** The components that are parts of both schemas. */
export function commonParts(one: Schema, other: Schema): Set<string> {
  const [first, second] = [one, other].map(
    ({ allOf = [] }) => new Set(allOf.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]))),
  )
  return first && second ? first.intersection(second) : new Set()
}

const isReference = (value: object): value is Reference => '$ref' in value && typeof value.$ref === 'string'

/** The directions of each component, by `schemas/Nation`: of requests, responses or both. */
export function directionsOf(document: Document): Map<string, Set<Direction>> {
  const directions = new Map<string, Set<Direction>>()
  for (const methods of Object.values(document.paths)) {
    for (const { parameters, requestBody, responses } of Object.values(methods)) {
      visit([parameters, requestBody], 'request')
      visit(responses, 'response')
    }
  }
  for (const methods of Object.values(document.webhooks ?? {}))
    for (const { parameters, requestBody } of Object.values(methods))
      visit([parameters, requestBody], 'response')
  return directions

  function visit(value: unknown, direction: Direction): void {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string') follow(inner, direction)
      else if (key !== 'examples') visit(inner, direction)
    }
  }

  function follow($ref: string, direction: Direction): void {
    const [kind, name] = $ref.split('/').slice(-2)
    const key = `${kind}/${name}`
    const known = directions.get(key) ?? new Set()
    if (known.has(direction)) return
    directions.set(key, known.add(direction))
    const components: Record<string, Record<string, unknown>> = { ...document.components }
    visit(components[kind ?? '']?.[name ?? ''], direction)
  }
}
