import { rateLimitReasons } from '../errors.ts'
import type { Operation } from '../operations/operation.ts'
import { type OpenApiHeader, type OpenApiParameter, type Reference, refTo } from './document.ts'

/** A header that every answer carries whose description names it. */
const header = (description: string, schema: OpenApiHeader['schema']): OpenApiHeader => ({
  description,
  required: true,
  schema,
})
/** One that some of these answers carry: its description says which. */
const headerOfSome = (description: string, schema: OpenApiHeader['schema']): OpenApiHeader => ({
  description,
  schema,
})
const integer = (minimum: number, example: number) => ({ type: 'integer', minimum, examples: [example] })
const string = (example: string) => ({ type: 'string', examples: [example] })

/** Every header that an answer may carry, by its name. */
export const headers = {
  'x-ratelimit-limit': header('Calls allowed in one window of 60 seconds.', integer(1, 120)),
  'x-ratelimit-remaining': header('Calls left in this window, after this one.', integer(0, 119)),
  'x-ratelimit-reset': header('When the window ends, in Unix seconds.', integer(0, 1779904860)),
  'x-request-id': header(
    'Identifier of this call. Quote it when reporting a problem.',
    string('req_3f9c2ab81d5e4f60'),
  ),
  etag: headerOfSome(
    'Strong validator of the body. Send it back in If-None-Match. Only on bodies that are the same for everybody.',
    string('"9f2c1ab04d7e"'),
  ),
  'cache-control': header('How long the answer may be kept.', string('private, max-age=60')),
  'retry-after': header('Whole seconds to wait before the next call.', integer(1, 23)),
  'x-ratelimit-reason': header('Which limit was reached.', {
    type: 'string',
    enum: [...rateLimitReasons],
    examples: ['calls'],
  }),
  'www-authenticate': header('How to authenticate, and for a missing scope which one.', string('Bearer')),
  allow: headerOfSome('With 405: the methods that the path answers.', string('GET, HEAD, OPTIONS')),
} satisfies Record<string, OpenApiHeader>

export type HeaderName = keyof typeof headers

const everywhere: HeaderName[] = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
  'cache-control',
]

/** The headers of an answer: those of every answer and `more`, as references. */
export const headersWith = (...more: HeaderName[]): Record<string, Reference> =>
  Object.fromEntries([...everywhere, ...more].map(name => [name, refTo('headers', name)]))

/** Headers that only some of the answers of one description carry. */
export const headersOfSome = (...names: HeaderName[]): Record<string, OpenApiHeader> =>
  Object.fromEntries(
    names
      .filter(name => 'required' in headers[name])
      .map(name => [name, { description: headers[name].description, schema: headers[name].schema }]),
  )

/** Whether responses have an ETag. */
export const hasEtag = ({ cache }: Operation): boolean => cache !== 'private' && cache !== 'stream'

/** The request header of operations whose bodies are the same for everybody. */
export const ifNoneMatch: OpenApiParameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of an earlier answer. 304 without a body if nothing has changed.',
  schema: { type: 'string' },
}
