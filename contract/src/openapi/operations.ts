import { withDeprecation } from '../classification.ts'
import type { Contract } from '../contract.ts'
import type { Operation } from '../operations/operation.ts'
import type { Parameter } from '../parameters.ts'
import { exampleOfParameter } from '../profile/examples.ts'
import type { Profile } from '../profile/profile.ts'
import { okResponse } from './answers.ts'
import { type OpenApiOperation, type OpenApiParameter, refTo } from './document.ts'
import { byStatus, errorResponseName, errorsOf, protocolErrors } from './errors.ts'
import { hasEtag } from './headers.ts'
import { documented } from './schemas.ts'

/** One operation as OpenAPI has it. */
export function openApiOperation(contract: Contract, operation: Operation): OpenApiOperation {
  const { id, tag, summary, description, scope, includeScopes } = operation
  const bearer = { bearer: [] }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: withDeprecation(
      operation.allowsHead ? description : `${description} HEAD is refused with 405.`,
      operation.deprecated,
    ),
    ...(operation.deprecated ? { deprecated: true } : {}),
    security: scope === 'none' ? [{}, bearer] : [bearer],
    'x-scope': scope,
    ...(includeScopes ? { 'x-include-scopes': includeScopes } : {}),
    parameters: [
      ...Object.entries(operation.parameters).map(([name, parameter]) =>
        openApiParameter(name, parameter, contract.profile),
      ),
      ...(hasEtag(operation) ? [refTo('parameters', 'if-none-match')] : []),
    ],
    responses: {
      200: okResponse(contract, operation),
      ...(hasEtag(operation) ? { 304: refTo('responses', 'NotModified') } : {}),
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
  { in: place, schema, description, deprecated, profileList }: Parameter,
  profile: Profile,
): OpenApiParameter {
  const known = documented(schema)
  const plain = profileList
    ? { ...known, examples: [exampleOfParameter(profile, profileList.list, profileList.example)] }
    : known
  return {
    name,
    in: place,
    description: withDeprecation(description, deprecated),
    ...(place === 'path' ? { required: true } : {}),
    ...(deprecated ? { deprecated: true } : {}),
    ...(plain.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: plain,
  }
}
