import type { TSchema } from 'typebox'
import type { Contract } from '../contract.ts'
import type { OperatorErrorCode } from '../operator/errors.ts'
import { operatorOperations } from '../operator/index.ts'
import {
  type OperatorContent,
  type OperatorOperation,
  type OperatorResponse,
  operatorTags,
} from '../operator/operation.ts'
import { version } from '../version.ts'
import { offeredBy, operatorDescription } from './description.ts'
import {
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  type Reference,
  refTo,
} from './document.ts'
import {
  errorExample,
  errorHeadersOf,
  errorResponse,
  errorResponseName,
  headersWith,
  operatorCatalog,
  operatorHeaders,
} from './responses.ts'
import { createOperatorSchemas, type OperatorSchemas } from './schemas.ts'

/** The title of the operator API's document. */
export const operatorTitleFor = ({ profile }: Contract): string => `${profile.name}: operator API`

/** The OpenAPI 3.1 document of the operator API for one game. Its addresses are relative to that of the document. */
export function operatorOpenApiFor(contract: Contract): OpenApiDocument<string> {
  const { name } = contract.profile
  const schemas = createOperatorSchemas(contract)
  const paths: OpenApiDocument<string>['paths'] = {}
  const described: OperatorOperation[] = Object.values(operatorOperations)
  for (const operation of described) {
    const documented = { [operation.method.toLowerCase()]: openApiOperation(operation, schemas) }
    paths[operation.path] = { ...paths[operation.path], ...documented }
  }
  schemas.addShared()
  return {
    openapi: '3.1.0',
    info: {
      title: operatorTitleFor(contract),
      version,
      summary: `How the servers of ${name} send data to Chancery, and how operators manage it.`,
      description: operatorDescription(name),
      ...offeredBy(contract.profile),
    },
    servers: [{ url: '/', description: 'This listener.' }],
    security: [{ bearer: [] }],
    tags: Object.entries(operatorTags).map(([tag, description]) => ({ name: tag, description })),
    paths,
    components: {
      schemas: schemas.components,
      responses: Object.fromEntries(
        (Object.keys(operatorCatalog.errors) as OperatorErrorCode[]).map(code => [
          errorResponseName([code]),
          errorResponse(operatorCatalog, [code]),
        ]),
      ),
      headers: operatorHeaders,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An operator token. `x-roles` lists the roles of which an operation requires one.',
        },
      },
    },
  }
}

/** The errors that an operation may return. */
const errorsOf = ({ errors = [] }: OperatorOperation): OperatorErrorCode[] => [
  'bad_request',
  'invalid_api_key',
  'insufficient_role',
  ...errors,
  'internal_error',
  'unavailable',
]

function openApiOperation(operation: OperatorOperation, schemas: OperatorSchemas): OpenApiOperation {
  const { id, tag, summary, description, roles } = operation
  const needed = roles.map(role => `\`${role}\``).join(', ')
  const content = requestContent(operation, schemas)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nRequires the role ${needed === '' ? '' : `${needed} or `}\`admin\`.`,
    security: [{ bearer: [] }],
    'x-roles': [...roles, 'admin'],
    parameters: parametersOf(operation, schemas),
    ...(content
      ? { requestBody: { required: operation.body !== undefined && !operation.body.isOptional, content } }
      : {}),
    responses: responsesOf(operation, schemas),
  }
}

/** NDJSON is one text; `contentSchema` of OpenAPI 3.1 holds the schema of its lines. */
const schemaOf = (type: string, schema: OpenApiContent['schema']): OpenApiContent['schema'] =>
  type === 'application/x-ndjson'
    ? { type: 'string', description: 'Lines of JSON.', contentMediaType: type, contentSchema: schema }
    : schema

const withExamples = (
  { examples }: Pick<OperatorContent, 'examples'>,
  schema: OpenApiContent['schema'],
): OpenApiContent => ({
  schema,
  examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
})

function requestContent({ body, stream = {} }: OperatorOperation, schemas: OperatorSchemas) {
  if (!body) return undefined
  return {
    'application/json': withExamples(body, schemas.request(body.schema)),
    ...Object.fromEntries(
      Object.entries(stream).map(([type, content]) => [
        type,
        withExamples(content, schemaOf(type, schemas.request(content.schema))),
      ]),
    ),
  }
}

function parametersOf(operation: OperatorOperation, schemas: OperatorSchemas): OpenApiParameter[] {
  const { pathParameter, query, headers = {} } = operation
  const place = (where: OpenApiParameter['in'], name: string, described: string, schema: TSchema) => {
    const { description = described, ...plain } = schemas.request(schema)
    return { name, in: where, description, schema: plain }
  }
  return [
    ...(pathParameter
      ? [
          {
            name: pathParameter.name,
            in: 'path' as const,
            description: pathParameter.description,
            required: true,
            schema: { type: 'string', examples: [pathParameter.example] },
          },
        ]
      : []),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) => place('query', name, '', schema)),
    ...Object.entries(headers).map(([name, { description, schema }]) => ({
      ...place('header', name, '', schema),
      description,
    })),
  ]
}

/** The operation's own responses, and errors. A status that both have allows either. */
function responsesOf(
  operation: OperatorOperation,
  schemas: OperatorSchemas,
): Record<string, OpenApiResponse | Reference> {
  const responses: Record<string, OpenApiResponse | Reference> = {}
  for (const [status, response] of Object.entries(operation.responses))
    responses[status] = documentedResponse(response, schemas)
  for (const code of errorsOf(operation)) {
    const { status, description } = operatorCatalog.errors[code]
    const own = responses[status]
    responses[status] =
      own && 'content' in own
        ? withError(own, code, description)
        : refTo('responses', errorResponseName([code]))
  }
  return responses
}

function documentedResponse(
  { description, content }: OperatorResponse,
  schemas: OperatorSchemas,
): OpenApiResponse {
  return {
    description,
    headers: headersWith(operatorCatalog),
    content: Object.fromEntries(
      Object.entries(content).map(([type, each]) => [
        type,
        withExamples(each, schemaOf(type, schemas.response(each.schema))),
      ]),
    ),
  }
}

function withError(own: OpenApiResponse, code: OperatorErrorCode, description: string): OpenApiResponse {
  const json = own.content?.['application/json']
  return {
    ...own,
    headers: { ...own.headers, ...errorHeadersOf(operatorCatalog, [code]) },
    description: `${own.description} Or \`${code}\`: ${description}`,
    content: {
      ...own.content,
      'application/json': {
        schema: { anyOf: [...(json ? [json.schema] : []), refTo('schemas', 'Error')] },
        examples: { ...json?.examples, [code]: errorExample(operatorCatalog, code) },
      },
    },
  }
}
