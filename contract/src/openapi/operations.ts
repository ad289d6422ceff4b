import type { TSchema } from 'typebox'
import { type Contract, oneEnvelope } from '../contract.ts'
import type { Operation, ResourceName, Returned } from '../operations/operation.ts'
import type { Parameter } from '../parameters.ts'
import { readableSchema } from '../responses.ts'
import { listOf, shape } from '../shapes.ts'
import { type OpenApiOperation, type OpenApiParameter, type OpenApiResponse, refTo } from './document.ts'
import { byStatus, errorResponseName, errorsOf, protocolErrors } from './errors.ts'
import { headersWith, isShared } from './headers.ts'
import { componentName, documented } from './schemas.ts'

/** One operation as OpenAPI has it. */
export function openApiOperation(contract: Contract, operation: Operation): OpenApiOperation {
  const { id, tag, summary, description, scope, includeScopes } = operation
  const bearer = { bearer: [] }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: operation.allowsHead ? description : `${description} HEAD is refused with 405.`,
    ...(operation.deprecated ? { deprecated: true } : {}),
    security: scope === 'none' ? [{}, bearer] : [bearer],
    'x-scope': scope,
    ...(includeScopes ? { 'x-include-scopes': includeScopes } : {}),
    parameters: [
      ...Object.entries(operation.parameters).map(([name, parameter]) => openApiParameter(name, parameter)),
      ...(isShared(operation) ? [refTo('parameters', 'if-none-match')] : []),
    ],
    responses: {
      200: answer(contract, operation),
      ...(isShared(operation) ? { 304: refTo('responses', 'NotModified') } : {}),
      ...Object.fromEntries(
        byStatus(errorsOf(operation)).map(([status, codes]) => [
          status,
          refTo('responses', errorResponseName(codes)),
        ]),
      ),
      default: refTo('responses', errorResponseName(protocolErrors)),
    },
  }
}

function openApiParameter(
  name: string,
  { in: place, schema, description, deprecated }: Parameter,
): OpenApiParameter {
  const plain = documented(schema)
  return {
    name,
    in: place,
    description,
    ...(place === 'path' ? { required: true } : {}),
    ...(deprecated ? { deprecated: true } : {}),
    ...(plain.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: plain,
  }
}

function answer(contract: Contract, operation: Operation): OpenApiResponse {
  const { many, resources, view } = operation.returns
  const refs = resources.map(resource => refTo('schemas', componentName(resource, view)))
  const [only] = refs
  const item = only && refs.length === 1 ? only : { anyOf: refs }
  return {
    description: describeAnswer(contract, operation),
    headers: headersWith(...(isShared(operation) ? (['etag'] as const) : [])),
    content: {
      'application/json': {
        schema: documented(many ? pageOf(item) : oneEnvelope(item)),
        examples: answerExamples(contract, operation),
      },
    },
  }
}

const pageOf = (item: TSchema) => shape({ data: listOf(item), pagination: refTo('schemas', 'Pagination') })

const describeAnswer = ({ resources }: Contract, { returns }: Operation) =>
  returns.many ? 'One page.' : returns.resources.map(resource => resources[resource].description).join(' ')

/** One example for each resource, and for each view of it: what everybody gets comes first. */
function answerExamples(contract: Contract, { scope, returns }: Operation) {
  const views: Returned['view'][] =
    returns.view === 'owner' && scope === 'none' ? ['public', 'owner'] : [returns.view]
  return Object.fromEntries(
    returns.resources.flatMap(resource =>
      views.map(view => {
        const item = exampleOf(contract, resource, view)
        const value = returns.many
          ? { data: [item], pagination: { page: 1, limit: 25, total: 1, pages: 1 } }
          : { data: item }
        return [componentName(resource, view), { value }]
      }),
    ),
  )
}

const exampleOf = (contract: Contract, resource: ResourceName, view: Returned['view']) =>
  Object.fromEntries(
    Object.entries(readableSchema(contract.resources[resource], view).properties ?? {}).map(
      ([field, { examples = [] }]) => [field, examples[0]],
    ),
  )
