import type { JsonSchema } from '../../json-schema.ts'
import type {
  ApiInfo,
  OpenApiHeader,
  OpenApiParameter,
  OpenApiResponse,
  Reference,
} from '../../openapi/document.ts'
import type { OperatorRole } from '../roles.ts'

/** The parts of an OpenAPI 3.1 document that the operator listener uses. */
export interface OperatorDocument {
  openapi: '3.1.0'
  info: ApiInfo
  servers: { url: string; description: string }[]
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, OpenApiResponse>
    headers: Record<string, OpenApiHeader>
    securitySchemes: { bearer: { type: 'http'; scheme: 'bearer'; description: string } }
  }
}

export interface DocumentedOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  /** Roles any one of which opens it. */
  'x-roles': OperatorRole[]
  parameters: OpenApiParameter[]
  requestBody?: { required: boolean; content: Record<string, DocumentedContent> }
  responses: Record<string, OpenApiResponse | Reference>
}

export interface DocumentedContent {
  schema: JsonSchema
  examples: Record<string, { value: unknown }>
}
