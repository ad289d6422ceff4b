import type { Contract } from './contract.ts'
import { apiDescription, offeredBy, tagDescriptions } from './openapi/description.ts'
import type { OpenApiDocument, OpenApiResponse } from './openapi/document.ts'
import { byStatus, errorResponse, errorResponseName, errorsOf, protocolErrors } from './openapi/errors.ts'
import { headers, headersWith, ifNoneMatch } from './openapi/headers.ts'
import { openApiOperation } from './openapi/operations.ts'
import { componentSchemas } from './openapi/schemas.ts'
import { bases, operations } from './operations/index.ts'
import type { Operation } from './operations/operation.ts'
import { version } from './version.ts'

/**
 * The OpenAPI 3.1 document of the API for one game. `serverUrl` is the public address without a path;
 * without it the addresses are relative to wherever the document is read.
 */
export function openApiFor(
  contract: Contract,
  { serverUrl = '' }: { serverUrl?: string } = {},
): OpenApiDocument {
  const described: Operation[] = Object.values(operations)
  const { name } = contract.profile
  return {
    openapi: '3.1.0',
    info: {
      title: `${name} API`,
      version,
      summary: `Read-only data of ${name}.`,
      description: apiDescription(name, serverUrl),
      ...offeredBy(contract.profile),
    },
    servers: [
      { url: `${serverUrl}${bases.canonical}`, description: 'Canonical base.' },
      {
        url: `${serverUrl}${bases.mirror}`,
        description: 'Mirror for bots and pollers: the same answers, the same limits.',
      },
    ],
    tags: Object.entries(tagDescriptions).map(([tag, description]) => ({ name: tag, description })),
    paths: Object.fromEntries(
      described.map(operation => [operation.path, { get: openApiOperation(contract, operation) }]),
    ),
    components: {
      schemas: componentSchemas(contract, described),
      responses: componentResponses(described),
      parameters: { 'if-none-match': ifNoneMatch },
      headers,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A key made in the developer settings. `x-scope` names the scope that an operation needs.',
        },
      },
    },
  }
}

function componentResponses(described: readonly Operation[]): Record<string, OpenApiResponse> {
  const groups = described.flatMap(operation => byStatus(errorsOf(operation)).map(([, codes]) => codes))
  return {
    NotModified: {
      description: 'Nothing has changed since the answer whose ETag was sent.',
      headers: headersWith('etag'),
    },
    ...Object.fromEntries(
      [...groups, protocolErrors].map(codes => [errorResponseName(codes), errorResponse(codes)]),
    ),
  }
}
