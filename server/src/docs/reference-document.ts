import type { ExampleCall } from './reference-code.ts'
import { componentOf, type Schema } from './reference-fields.ts'

type Reference = { $ref: string }

export interface Content {
  schema: Schema
  examples: Record<string, { summary?: string; value: unknown }>
}

export interface Response {
  description: string
  content?: Record<string, Content>
}

export interface Parameter {
  name: string
  in: string
  description: string
  required?: boolean
  deprecated?: boolean
  schema: Schema
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  'x-scope'?: string
  'x-roles'?: string[]
  parameters: (Parameter | Reference)[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Response | Reference>
}

/** The parts of an OpenAPI document that the reference renders. */
export interface ReferenceDocument {
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  /** Requests that the service sends, by name. */
  webhooks?: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    parameters?: Record<string, Parameter>
  }
}

/** An operation with method and path, its references resolved. */
export interface Described {
  id: string
  method: string
  /** Undefined for a request that the service sends. */
  path: string | undefined
  operation: Operation
  parameters: Parameter[]
  responses: [status: string, response: Response][]
  /** Undefined for a request that the service sends. */
  call: ExampleCall | undefined
}

/** An example as text. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)

/** Every operation of a document, in its order, and the requests that the service sends. */
export function describeOperations(document: ReferenceDocument): Described[] {
  const { parameters: shared = {}, responses: sharedResponses } = document.components
  const received = Object.entries(document.paths)
  const sent = Object.values(document.webhooks ?? {})
  return [...received, ...sent.map(methods => [undefined, methods] as const)].flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = operation.parameters.flatMap(parameter =>
        '$ref' in parameter ? (shared[componentOf(parameter) ?? ''] ?? []) : parameter,
      )
      const responses = Object.entries(operation.responses).flatMap(
        ([status, response]): [string, Response][] => {
          const found = '$ref' in response ? sharedResponses[componentOf(response) ?? ''] : response
          return found ? [[status, found]] : []
        },
      )
      const place = {
        id: operation.operationId,
        method: method.toUpperCase(),
        operation,
        parameters,
        responses,
      }
      return { ...place, path, call: path === undefined ? undefined : exampleCall({ ...place, path }) }
    }),
  )
}

/** The request of the recorded example; without one, a request with the examples of the parameters. */
function exampleCall({
  id,
  method,
  path,
  operation,
  parameters,
  responses,
}: Omit<Described, 'call' | 'path'> & { path: string }): ExampleCall {
  const example = ({ schema }: Parameter) =>
    String([schema.examples ?? []].flat()[0] ?? schema.enum?.[0] ?? 'name')
  const filled = path.replace(/\{(\w+)\}/g, (_place, name) => {
    const parameter = parameters.find(known => known.name === name)
    return encodeURIComponent(parameter ? example(parameter) : name)
  })
  const recorded = responses
    .flatMap(([, { content = {} }]) => Object.values(content))
    .flatMap(({ examples }) => Object.values(examples))
    .find(({ summary }) => summary?.startsWith('GET '))
  const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const [sent] = Object.values(content?.examples ?? {})
  return {
    operationId: id,
    method,
    pattern: path,
    target: recorded?.summary?.slice(4) ?? filled,
    needsKey: operation.security.every(way => 'bearer' in way),
    lists: parameters.flatMap(({ name, schema }) => (schema.type === 'array' ? [name] : [])),
    ...(contentType && sent ? { body: { contentType, text: textOf(sent.value) } } : {}),
  }
}
