/** A JSON schema of an OpenAPI 3.1 document, as far as the fuzzer reads it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  discriminator?: { propertyName: string }
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  examples?: unknown[]
  /** What each line, or each event, of a text is. */
  contentSchema?: Schema
  /** The most decimals. */
  'x-decimals'?: number
  /** Values that the game does not have are rejected, even if the schema allows them. */
  'x-known-words-only'?: boolean
  /** The schema accepts more than the service does: the description states the rest. */
  'x-further-rules'?: boolean
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  deprecated?: boolean
  schema: Schema
}

/** A response as the document describes it. */
export interface ResponseDescription {
  headers: Record<string, { required?: boolean; schema: Schema }>
  content: Record<string, { schema: Schema }> | undefined
}

export interface Operation {
  id: string
  method: string
  /** Below each base, with names in braces. */
  path: string
  parameters: Parameter[]
  isDeprecated: boolean
  /** Whether a key is required. */
  needsKey: boolean
  /** The scope that a key must have; and those required by values of `include`. */
  scope: string | undefined
  includeScopes: Record<string, string>
  /** Roles of which one is required, in an API with roles. */
  roles: string[] | undefined
  body: { isRequired: boolean; content: Record<string, { schema: Schema }> } | undefined
  /** By status, or `default`. */
  responses: Record<string, ResponseDescription>
}

/** An API as it describes itself. */
export interface Api {
  /** Scheme and host, without a slash at the end. */
  origin: string
  /** Base paths of every operation. */
  bases: string[]
  document: object
  operations: Operation[]
  /** The schema itself where it is a reference. */
  resolve(schema: Schema): Schema
}

/** Reads the document that a server publishes at /openapi.json. */
export async function readApi(origin: string): Promise<Api> {
  const response = await fetch(`${origin}/openapi.json`)
  if (!response.ok) throw new Error(`${origin}/openapi.json: ${response.status}`)
  return describeApi(origin, (await response.json()) as RawDocument)
}

type OrRef<T> = T | { $ref: string }
interface RawOperation {
  operationId: string
  deprecated?: boolean
  parameters?: OrRef<Parameter>[]
  security?: Record<string, string[]>[]
  'x-scope'?: string
  'x-include-scopes'?: Record<string, string>
  'x-roles'?: string[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<
    string,
    OrRef<{
      headers?: Record<string, OrRef<ResponseDescription['headers'][string]>>
      content?: ResponseDescription['content']
    }>
  >
}
export interface RawDocument {
  servers: { url: string }[]
  security?: Record<string, string[]>[]
  paths: Record<string, Record<string, RawOperation>>
}

/** The part itself where it is a reference. */
export function resolveRef<T extends object>(part: OrRef<T>, document: object): T {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part as T
  const steps = part.$ref.slice(2).split('/')
  return steps.reduce<unknown>((inside, step) => Object(inside)[step.replaceAll('~1', '/')], document) as T
}

function describeApi(origin: string, document: RawDocument): Api {
  const follow = <T extends object>(part: OrRef<T>): T => resolveRef(part, document)
  const describe = (part: RawOperation['responses'][string]): ResponseDescription => {
    const { headers = {}, content } = follow(part)
    return {
      content,
      headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, follow(header)])),
    }
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]): Operation => {
      const { requestBody, security = document.security ?? [], 'x-scope': scope } = raw
      return {
        id: raw.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (raw.parameters ?? []).map(follow),
        isDeprecated: raw.deprecated ?? false,
        needsKey: security.length > 0 && security.every(way => Object.keys(way).length > 0),
        scope: scope === 'none' || scope === 'key' ? undefined : scope,
        includeScopes: raw['x-include-scopes'] ?? {},
        roles: raw['x-roles'],
        body: requestBody && { isRequired: requestBody.required ?? false, content: requestBody.content },
        responses: Object.fromEntries(
          Object.entries(raw.responses).map(([status, part]) => [status, describe(part)]),
        ),
      }
    }),
  )
  return {
    origin,
    bases: document.servers.map(({ url }) => new URL(url, `${origin}/`).pathname.replace(/\/$/, '')),
    document,
    operations,
    resolve: schema => (schema.$ref === undefined ? schema : follow<Schema>({ $ref: schema.$ref })),
  }
}

/** Whether the response of an operation is an endless stream. */
export const isStream = ({ responses }: Operation): boolean =>
  Object.keys(responses[200]?.content ?? {}).includes('text/event-stream')

/** The schema of the items of a list; undefined for other operations. */
export function itemsOf(api: Api, { responses }: Operation): Schema | undefined {
  const schema = responses[200]?.content?.['application/json']?.schema
  const members = schema && api.resolve(schema).properties
  return members?.data?.items
}
