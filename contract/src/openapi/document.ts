import type { JsonSchema } from '../json-schema.ts'
import type { ParameterLocation } from '../public/parameters.ts'

/** Who offers an API, and the license of its description. */
export interface ApiInfo {
  title: string
  version: string
  summary: string
  description: string
  contact: { name: string; url?: string }
  license: { name: string; url: string }
}

/** The parts of OpenAPI 3.1 that the documents of the APIs use. `M`: the HTTP methods. */
export interface OpenApiDocument<M extends string = 'get'> {
  openapi: '3.1.0'
  info: ApiInfo
  servers: { url: string; description: string }[]
  security?: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<M, OpenApiOperation>>
  webhooks?: Record<string, { post: OpenApiOperation }>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, OpenApiResponse>
    parameters?: Record<string, OpenApiParameter>
    headers: Record<string, OpenApiHeader>
    securitySchemes: { bearer: { type: 'http'; scheme: 'bearer'; description: string } }
  }
}

export interface OpenApiOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  /** Of the public API: the scope that the key must hold, and those that values of `include` require. */
  'x-scope'?: string
  'x-include-scopes'?: Record<string, string>
  /** Of the operator API: the token must have one of these roles. */
  'x-roles'?: string[]
  parameters: (OpenApiParameter | Reference)[]
  requestBody?: { required: boolean; content: Record<string, OpenApiContent> }
  responses: Record<string, OpenApiResponse | Reference>
}

export interface OpenApiParameter {
  name: string
  in: ParameterLocation
  description: string
  required?: boolean
  deprecated?: boolean
  style?: 'form'
  explode?: boolean
  schema: JsonSchema
}

export interface OpenApiResponse {
  description: string
  headers?: Record<string, OpenApiHeader | Reference>
  content?: Record<string, OpenApiContent>
}

export interface OpenApiContent {
  schema: JsonSchema
  examples: Record<string, { summary?: string; value: unknown }>
}

export interface OpenApiHeader {
  description: string
  /** Whether every response that refers to it has it. */
  required?: boolean
  schema: JsonSchema
}

/** A type, not an interface, so that it is assignable to any schema. */
export type Reference = { $ref: string }

export const refTo = (kind: keyof OpenApiDocument['components'], name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
})

/** `strategic_weapon.launched` as `StrategicWeaponLaunched`. */
export const pascalCase = (words: string): string =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
