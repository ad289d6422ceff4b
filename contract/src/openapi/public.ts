import type { TSchema } from 'typebox'
import examples from '../../examples.json' with { type: 'json' }
import { withDeprecation } from '../classification.ts'
import { type Contract, itemEnvelope, type ResourceName } from '../contract.ts'
import { limits } from '../limits.ts'
import { demoProfile } from '../profile/demo.ts'
import { exampleOfParameter } from '../profile/examples.ts'
import type { Profile } from '../profile/profile.ts'
import { type ErrorCode, errors } from '../public/errors.ts'
import { bases, operations } from '../public/index.ts'
import type { Operation, Returns } from '../public/operation.ts'
import type { Parameter } from '../public/parameters.ts'
import { readableSchema } from '../public/responses.ts'
import { listOf, strictObject } from '../shared-schemas.ts'
import { version } from '../version.ts'
import { apiDescription, offeredBy, tagDescriptions } from './description.ts'
import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  refTo,
} from './document.ts'
import { errorResponse, errorResponseName, headers, headersWith, publicCatalog } from './responses.ts'
import { componentSchemas, documented, returnedName } from './schemas.ts'
import { openApiWebhooks, webhookSchemas } from './webhooks.ts'

/**
 * The OpenAPI 3.1 document of the public API for one game. `serverUrl` is the public address without a path; without it, the
 * addresses are relative to that of the document.
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
        description: 'Mirror for bots and pollers: the same responses, the same limits.',
      },
    ],
    tags: Object.entries(tagDescriptions).map(([tag, description]) => ({ name: tag, description })),
    paths: Object.fromEntries(
      described.map(operation => [operation.path, { get: openApiOperation(contract, operation) }]),
    ),
    webhooks: openApiWebhooks(exampleOf(contract, 'event', 'public'), contract),
    components: {
      schemas: { ...componentSchemas(contract, described), ...webhookSchemas() },
      responses: componentResponses(described),
      parameters: { 'if-none-match': ifNoneMatch },
      headers,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key made in the developer settings. `x-scope` states the scope that an operation requires.',
        },
      },
    },
  }
}

/** The request header of operations whose responses are the same for all callers. */
const ifNoneMatch: OpenApiParameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of an earlier response. The response is 304 without a body if nothing has changed.',
  schema: { type: 'string', examples: ['"9f2c1ab04d7e"'] },
}

const hasEtag = ({ cache }: Operation): boolean => cache !== 'private' && cache !== 'stream'

/** Errors of requests that are no GET as HTTP prescribes: documented as the default response. */
export const protocolErrors: readonly ErrorCode[] = [
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
]

/** The errors that a GET of an operation may return. */
export function errorsOf({ parameters, scope, includeScopes, errors: own = [] }: Operation): ErrorCode[] {
  const needsKey = scope !== 'none'
  const needsScope = (needsKey && scope !== 'key') || includeScopes !== undefined
  return [
    ...(Object.keys(parameters).length > 0 ? (['invalid_parameter'] as const) : []),
    'bad_request',
    ...(needsKey || includeScopes ? (['api_key_required'] as const) : []),
    'invalid_api_key',
    ...(needsScope ? (['insufficient_scope'] as const) : []),
    ...own,
    'rate_limited',
    'internal_error',
    'unavailable',
  ]
}

/** Error codes by their status, lowest first. */
function byStatus(codes: readonly ErrorCode[]): [string, ErrorCode[]][] {
  const groups = Map.groupBy(codes, code => errors[code].status)
  return [...groups].sort(([a], [b]) => a - b).map(([status, group]) => [String(status), group])
}

function componentResponses(described: readonly Operation[]): Record<string, OpenApiResponse> {
  const groups = described.flatMap(operation => byStatus(errorsOf(operation)).map(([, codes]) => codes))
  return {
    NotModified: {
      description: 'Nothing has changed since the response whose ETag was sent.',
      headers: headersWith(publicCatalog, 'etag'),
    },
    ...Object.fromEntries(
      groups.map(codes => [errorResponseName(codes), errorResponse(publicCatalog, codes)]),
    ),
    ProtocolError: errorResponse(publicCatalog, protocolErrors),
  }
}

export function openApiOperation(contract: Contract, operation: Operation): OpenApiOperation {
  const { id, tag, summary, description, scope, includeScopes } = operation
  const bearer = { bearer: [] }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: withDeprecation(
      operation.allowsHead ? description : `${description} HEAD is rejected with 405.`,
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
      default: refTo('responses', 'ProtocolError'),
    },
  }
}

function openApiParameter(
  name: string,
  { in: location, schema, description, deprecated, profileList, profileKeys }: Parameter,
  profile: Profile,
): OpenApiParameter {
  const keys = profileKeys?.(profile) ?? []
  const known = documented(keys.length > 0 ? { ...schema, enum: keys } : schema)
  const example = profileList && exampleOfParameter(profile, profileList.list, profileList.example)
  const plain = profileList ? { ...known, examples: [known.type === 'array' ? [example] : example] } : known
  return {
    name,
    in: location,
    description: withDeprecation(description, deprecated),
    ...(location === 'path' ? { required: true } : {}),
    ...(deprecated ? { deprecated: true } : {}),
    ...(plain.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: plain,
  }
}

function okResponse(contract: Contract, operation: Operation): OpenApiResponse {
  if (operation.cache === 'stream') return streamResponse(contract, operation)
  const { isList, resources } = operation.returns
  const refs = resources.map(resource => refTo('schemas', returnedName(operation.returns, resource)))
  const [only] = refs
  const item = only && refs.length === 1 ? only : { anyOf: refs }
  return {
    description: describeResponse(contract, operation),
    headers: headersWith(publicCatalog, ...(hasEtag(operation) ? (['etag'] as const) : [])),
    content: {
      'application/json': {
        schema: documented(isList ? pageOf(item) : itemEnvelope(item)),
        examples: responseExamples(contract, operation),
      },
    },
  }
}

/** A stream has no schema as a whole; its schema is that of its lines. */
function streamResponse(contract: Contract, { returns }: Operation): OpenApiResponse {
  const frames = returns.resources.map(resource => {
    const item = exampleOf(contract, resource, returns.view)
    return `id: ${item.seq}\ndata: ${JSON.stringify(item)}\n\n`
  })
  const lines = [
    `retry: ${limits.streamRetrySeconds * 1000}\n\nid: 1040\n\n: up to date\nid: 1040\n\n`,
    ...frames,
    ': heartbeat\nid: 1041\n\n',
  ]
  const [resource = 'event'] = returns.resources
  const schema = {
    type: 'string',
    description: 'Server-sent events. Each `data` is one Event as JSON.',
    contentMediaType: 'text/event-stream',
    contentSchema: refTo('schemas', returnedName(returns, resource)),
  }
  return {
    description: 'Events as they are logged, until the client disconnects.',
    headers: headersWith(publicCatalog),
    content: { 'text/event-stream': { schema, examples: { EventStream: { value: lines.join('') } } } },
  }
}

const pageOf = (item: TSchema) =>
  strictObject({ data: listOf(item), pagination: refTo('schemas', 'Pagination') })

const describeResponse = ({ resources }: Contract, { returns }: Operation) =>
  returns.isList ? 'One page.' : returns.resources.map(resource => resources[resource].description).join(' ')

/** One example for each resource and each view of it, the public view first. Recorded examples are preferred. */
function responseExamples(contract: Contract, { id, scope, returns }: Operation) {
  const views: Returns['view'][] =
    returns.view === 'owner' && scope === 'none' ? ['public', 'owner'] : [returns.view]
  return Object.fromEntries(
    returns.resources.flatMap(resource =>
      views.map(view => {
        const name = returnedName(returns, resource, view)
        const recording = recordingOf(contract, id, name)
        if (recording) return [name, { summary: `GET ${recording.request}`, value: recording.response }]
        const item = exampleOf(contract, resource, view)
        const value = returns.isList
          ? { data: [item], pagination: { page: 1, limit: 25, total: 1, pages: 1 } }
          : { data: item }
        return [name, { value }]
      }),
    ),
  )
}

const exampleOf = (contract: Contract, resource: ResourceName, view: Returns['view']) =>
  Object.fromEntries(
    Object.entries(readableSchema(contract.resources[resource], view).properties ?? {}).map(
      ([field, { examples = [] }]) => [field, examples[0]],
    ),
  )

/** A response that tools/record-examples.ts recorded, from a world of the demo game. */
interface Recording {
  /** The path below a base, with its query. */
  request: string
  response: unknown
}

/** By operation and component. */
const recordings: Record<string, Record<string, Recording>> = examples

/** Undefined for another game, whose keys are not those of the demo, and for what has not been recorded yet. */
const recordingOf = ({ profile }: Contract, operationId: string, component: string): Recording | undefined =>
  profile === demoProfile ? recordings[operationId]?.[component] : undefined
