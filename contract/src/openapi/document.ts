import type { JsonSchema } from '../json-schema.ts'
import type { ParameterLocation } from '../parameters.ts'

/** Who offers an API, and on what terms its description may be used. */
export interface ApiInfo {
  title: string
  version: string
  summary: string
  description: string
  contact: { name: string; url?: string }
  license: { name: string; url: string }
}

/** The parts of an OpenAPI 3.1 document that this API uses. */
export interface OpenApiDocument {
  openapi: '3.1.0'
  info: ApiInfo
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, { get: OpenApiOperation }>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, OpenApiResponse>
    parameters: Record<string, OpenApiParameter>
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
  'x-scope': string
  'x-include-scopes'?: Record<string, string>
  parameters: (OpenApiParameter | Reference)[]
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
  /** Whether every answer that names it has it. */
  required?: boolean
  schema: JsonSchema
}

/** A type, not an interface: it stands where any schema may. */
export type Reference = { $ref: string }

export type ComponentKind = keyof OpenApiDocument['components']

/** Points at a component. */
export const refTo = (kind: ComponentKind, name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
})

/** `strategic_weapon.launched` as `StrategicWeaponLaunched`. */
export const pascalCase = (words: string): string =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
