import { type OperatorErrorCode, operatorErrors } from '../operator/errors.ts'
import { type ErrorCode, errors, rateLimitReasons } from '../public/errors.ts'
import { type OpenApiHeader, type OpenApiResponse, pascalCase, type Reference, refTo } from './document.ts'

/** A header that every response has that refers to it. */
const header = (description: string, schema: OpenApiHeader['schema']): OpenApiHeader => ({
  description,
  required: true,
  schema,
})
/** A header that some of the responses have; its description states which. */
const optionalHeader = (description: string, schema: OpenApiHeader['schema']): OpenApiHeader => ({
  description,
  schema,
})
const integer = (minimum: number, example: number) => ({ type: 'integer', minimum, examples: [example] })
const string = (example: string) => ({ type: 'string', examples: [example] })

/** Every header of the public API's responses. */
export const headers = {
  'x-ratelimit-limit': header('Calls allowed in one window of 60 seconds.', integer(1, 120)),
  'x-ratelimit-remaining': header('Calls left in this window, after this one.', integer(0, 119)),
  'x-ratelimit-reset': header('When the window ends, in Unix seconds.', integer(0, 1779904860)),
  'x-request-id': header(
    'Identifier of this call. Quote it when reporting a problem.',
    string('req_3f9c2ab81d5e4f60'),
  ),
  etag: optionalHeader(
    'Strong validator of the body. Send it back in If-None-Match. Only on responses that are the same for all callers.',
    string('"9f2c1ab04d7e"'),
  ),
  'cache-control': header('How long the response may be cached.', string('private, max-age=60')),
  'retry-after': header('Whole seconds to wait before the next call.', integer(1, 23)),
  'x-ratelimit-reason': header('Which limit was reached.', {
    type: 'string',
    enum: [...rateLimitReasons],
    examples: ['calls'],
  }),
  'www-authenticate': header(
    'How to authenticate; for a missing scope also which one is required.',
    string('Bearer'),
  ),
  allow: optionalHeader('With 405: the methods that the path supports.', string('GET, HEAD, OPTIONS')),
} satisfies Record<string, OpenApiHeader>
type HeaderName = keyof typeof headers

/** Every header of the operator API's responses. */
export const operatorHeaders = {
  'x-request-id': headers['x-request-id'],
  'cache-control': {
    description: 'Responses must not be stored.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'retry-after': headers['retry-after'],
  'www-authenticate': headers['www-authenticate'],
} satisfies Record<string, OpenApiHeader>

/** The errors of one API, as far as its document describes them. */
export interface ErrorCatalog<C extends string> {
  errors: Record<C, { status: number; description: string; fix: string }>
  /** Example messages that name a parameter, scope or resource. Others repeat description and fix. */
  exampleMessages: Partial<Record<C, string>>
  /** Headers of every response. */
  commonHeaders: HeaderName[]
  /** Headers of the responses with an error, in addition. */
  errorHeaders: Partial<Record<C, HeaderName[]>>
}

export const publicCatalog: ErrorCatalog<ErrorCode> = {
  errors,
  exampleMessages: {
    invalid_parameter: 'Parameter `limit` must be an integer from 1 to 100.',
    insufficient_scope: 'This key lacks the scope military.read.',
  },
  commonHeaders: [
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-request-id',
    'cache-control',
  ],
  errorHeaders: {
    api_key_required: ['www-authenticate'],
    invalid_api_key: ['www-authenticate'],
    insufficient_scope: ['www-authenticate'],
    method_not_allowed: ['allow'],
    rate_limited: ['retry-after', 'x-ratelimit-reason'],
    unavailable: ['retry-after'],
  },
}

export const operatorCatalog: ErrorCatalog<OperatorErrorCode> = {
  errors: operatorErrors,
  exampleMessages: {
    bad_request: 'Invalid request body: /name must be text.',
    insufficient_role: 'The token prometheus lacks the role facts: use one that has it, or the admin token.',
    not_found: 'There is no such nation.',
    conflict: 'There is a valid token named game-server: rotate or revoke it, or choose another name.',
  },
  commonHeaders: ['x-request-id', 'cache-control'],
  errorHeaders: {
    invalid_api_key: ['www-authenticate'],
    insufficient_role: ['www-authenticate'],
    unavailable: ['retry-after'],
  },
}

/** References to the headers of every response, and to `more`. */
export const headersWith = (
  { commonHeaders }: Pick<ErrorCatalog<string>, 'commonHeaders'>,
  ...more: HeaderName[]
): Record<string, Reference> =>
  Object.fromEntries([...commonHeaders, ...more].map(name => [name, refTo('headers', name)]))

/** The headers of a response with one of these errors. Those that only some of the errors have are not required. */
export function errorHeadersOf<C extends string>(catalog: ErrorCatalog<C>, codes: readonly C[]) {
  const own = codes.map(code => catalog.errorHeaders[code] ?? [])
  const partial = [...new Set(own.flat())].filter(
    name => 'required' in headers[name] && own.some(names => !names.includes(name)),
  )
  return {
    ...headersWith(catalog, ...new Set(own.flat())),
    ...Object.fromEntries(
      partial.map(name => [name, optionalHeader(headers[name].description, headers[name].schema)]),
    ),
  }
}

/** The name of the component that describes the response with one of these errors. */
export const errorResponseName = (codes: readonly string[]): string => codes.map(pascalCase).join('Or')

export function errorResponse<C extends string>(
  catalog: ErrorCatalog<C>,
  codes: readonly C[],
): OpenApiResponse {
  const { errors } = catalog
  return {
    description: codes.map(code => `\`${code}\`: ${errors[code].description}`).join('\n\n'),
    headers: errorHeadersOf(catalog, codes),
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        examples: Object.fromEntries(codes.map(code => [code, errorExample(catalog, code)])),
      },
    },
  }
}

export function errorExample<C extends string>({ errors, exampleMessages }: ErrorCatalog<C>, code: C) {
  const { description, fix } = errors[code]
  const message = exampleMessages[code] ?? `${description} ${fix}`
  return { summary: fix, value: { error: { code, message, request_id: 'req_3f9c2ab81d5e4f60' } } }
}
