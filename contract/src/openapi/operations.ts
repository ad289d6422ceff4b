import type { Contract } from '../contract.ts'
import { withDeprecation } from '../deprecation.ts'
import { parameterWord } from '../example-words.ts'
import type { Operation } from '../operations/operation.ts'
import type { Parameter } from '../parameters.ts'
import type { Profile } from '../profile.ts'
import { answer } from './answers.ts'
import { type OpenApiOperation, type OpenApiParameter, refTo } from './document.ts'
import { byStatus, errorResponseName, errorsOf, protocolErrors } from './errors.ts'
import { isShared } from './headers.ts'
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
  { in: place, schema, description, deprecated, words }: Parameter,
  profile: Profile,
): OpenApiParameter {
  const known = documented(schema)
  const plain = words ? { ...known, examples: [parameterWord(profile, words.list, words.example)] } : known
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
