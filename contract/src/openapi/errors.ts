import { type ErrorCode, errors } from '../errors.ts'
import type { Operation } from '../operations/operation.ts'
import { type OpenApiResponse, pascalCase, refTo } from './document.ts'
import { type HeaderName, headersOfSome, headersWith } from './headers.ts'

/** Messages that name something; the others say what their code says. */
const exampleMessages: Partial<Record<ErrorCode, string>> = {
  invalid_parameter: 'limit must be an integer from 1 to 100.',
  insufficient_scope: 'This key lacks the scope military.read.',
}

const errorHeaders: Partial<Record<ErrorCode, HeaderName[]>> = {
  api_key_required: ['www-authenticate'],
  invalid_api_key: ['www-authenticate'],
  insufficient_scope: ['www-authenticate'],
  method_not_allowed: ['allow'],
  rate_limited: ['retry-after', 'x-ratelimit-reason'],
  unavailable: ['retry-after'],
}

/** What a client meets only when it does not send a GET as HTTP prescribes: documented as the default response. */
export const protocolErrors: readonly ErrorCode[] = [
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
]

/** The errors that a GET of an operation may answer. */
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

/** The codes of a list by their status, lowest first. */
export function byStatus(codes: readonly ErrorCode[]): [string, ErrorCode[]][] {
  const groups = Map.groupBy(codes, code => errors[code].status)
  return [...groups].sort(([a], [b]) => a - b).map(([status, group]) => [String(status), group])
}

/** The name of the component that documents these codes together. */
export const errorResponseName = (codes: readonly ErrorCode[]): string =>
  codes === protocolErrors ? 'ProtocolError' : codes.map(pascalCase).join('Or')

/** The answer of any of these codes: the body of errors, with an example of each. */
export function errorResponse(codes: readonly ErrorCode[]): OpenApiResponse {
  const more = new Set(codes.flatMap(code => errorHeaders[code] ?? []))
  const ofSome = [...more].filter(name => codes.some(code => !errorHeaders[code]?.includes(name)))
  return {
    description: codes.map(code => `\`${code}\`: ${errors[code].description}`).join('\n\n'),
    headers: { ...headersWith(...more), ...headersOfSome(...ofSome) },
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        examples: Object.fromEntries(
          codes.map(code => [code, { summary: errors[code].fix, value: exampleError(code) }]),
        ),
      },
    },
  }
}

const exampleError = (code: ErrorCode) => ({
  error: {
    code,
    message: exampleMessages[code] ?? `${errors[code].description} ${errors[code].fix}`,
    request_id: 'req_3f9c2ab81d5e4f60',
  },
})
