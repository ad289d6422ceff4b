import type { TSchema } from 'typebox'
import { type OpenApiParameter, type OpenApiResponse, type Reference, refTo } from '../../openapi/document.ts'
import { operatorErrors } from '../errors.ts'
import type { OperatorContent, OperatorOperation, OperatorResponse } from '../operation.ts'
import type { DocumentedContent, DocumentedOperation } from './document.ts'
import { errorExample, errorResponseName, errorsOf, headersOfError, headersWith } from './errors.ts'
import type { Schemas } from './schemas.ts'

/** One operation as OpenAPI has it. */
export function documentedOperation(operation: OperatorOperation, schemas: Schemas): DocumentedOperation {
  const { id, tag, summary, description, roles } = operation
  const needed = roles.map(role => `\`${role}\``).join(', ')
  const content = requestContent(operation, schemas)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nFor tokens with the role ${needed === '' ? '' : `${needed} or `}\`admin\`.`,
    security: [{ bearer: [] }],
    'x-roles': [...roles, 'admin'],
    parameters: parametersOf(operation, schemas),
    ...(content
      ? { requestBody: { required: operation.body !== undefined && !operation.body.isOptional, content } }
      : {}),
    responses: responsesOf(operation, schemas),
  }
}

/** Lines of JSON are one text. What each of them is stands beside it, where OpenAPI 3.1 has a place for that. */
const schemaOf = (type: string, schema: DocumentedContent['schema']): DocumentedContent['schema'] =>
  type === 'application/x-ndjson'
    ? { type: 'string', description: 'Lines of JSON.', contentMediaType: type, contentSchema: schema }
    : schema

const withExamples = (
  { examples }: Pick<OperatorContent, 'examples'>,
  schema: DocumentedContent['schema'],
): DocumentedContent => ({
  schema,
  examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
})

function requestContent({ body, stream = {} }: OperatorOperation, schemas: Schemas) {
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

function parametersOf(operation: OperatorOperation, schemas: Schemas): OpenApiParameter[] {
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

/** Answers of the operation's own, and errors; where both have one status, it is either. */
function responsesOf(
  operation: OperatorOperation,
  schemas: Schemas,
): Record<string, OpenApiResponse | Reference> {
  const responses: Record<string, OpenApiResponse | Reference> = {}
  for (const [status, answer] of Object.entries(operation.responses))
    responses[status] = documentedAnswer(answer, schemas)
  for (const code of errorsOf(operation)) {
    const { status, description } = operatorErrors[code]
    const own = responses[status]
    responses[status] =
      own && 'content' in own
        ? withError(own, code, description)
        : refTo('responses', errorResponseName(code))
  }
  return responses
}

function documentedAnswer({ description, content }: OperatorResponse, schemas: Schemas): OpenApiResponse {
  return {
    description,
    headers: headersWith(),
    content: Object.fromEntries(
      Object.entries(content).map(([type, each]) => [
        type,
        withExamples(each, schemaOf(type, schemas.answer(each.schema))),
      ]),
    ),
  }
}

function withError(
  own: OpenApiResponse,
  code: Parameters<typeof errorExample>[0],
  description: string,
): OpenApiResponse {
  const json = own.content?.['application/json']
  return {
    ...own,
    headers: { ...own.headers, ...headersOfError(code) },
    description: `${own.description} Or \`${code}\`: ${description}`,
    content: {
      ...own.content,
      'application/json': {
        schema: { anyOf: [...(json ? [json.schema] : []), refTo('schemas', 'Error')] },
        examples: { ...json?.examples, [code]: errorExample(code) },
      },
    },
  }
}
