import { type OpenApiHeader, type OpenApiResponse, pascalCase, refTo } from '../../openapi/document.ts'
import { headers } from '../../openapi/headers.ts'
import { type OperatorErrorCode, operatorErrors } from '../errors.ts'
import type { OperatorOperation } from '../operation.ts'

/** Messages that name something; the others say what their code says. */
const exampleMessages: Partial<Record<OperatorErrorCode, string>> = {
  bad_request: 'Invalid request body: /name must be text.',
  insufficient_role: 'The token prometheus lacks the role facts: use one that has it, or the main token.',
  not_found: 'There is no such nation.',
  conflict: 'There is a valid token named game-server: rotate it, or choose another name.',
}

/** Headers that answers carry. */
export const operatorHeaders = {
  'x-request-id': headers['x-request-id'],
  'cache-control': {
    description: 'Nothing is to be kept.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'retry-after': headers['retry-after'],
  'www-authenticate': headers['www-authenticate'],
} satisfies Record<string, OpenApiHeader>
export type OperatorHeaderName = keyof typeof operatorHeaders

const errorHeaders: Partial<Record<OperatorErrorCode, OperatorHeaderName>> = {
  invalid_api_key: 'www-authenticate',
  insufficient_role: 'www-authenticate',
  unavailable: 'retry-after',
}

export const headersWith = (...more: OperatorHeaderName[]) =>
  Object.fromEntries(
    (['x-request-id', 'cache-control', ...more] as const).map(name => [name, refTo('headers', name)]),
  )

/** The errors that an operation may answer. */
export const errorsOf = ({ errors = [] }: OperatorOperation): OperatorErrorCode[] => [
  'bad_request',
  'invalid_api_key',
  'insufficient_role',
  ...errors,
  'internal_error',
  'unavailable',
]

export const errorExample = (code: OperatorErrorCode) => ({
  value: {
    error: {
      code,
      message: exampleMessages[code] ?? `${operatorErrors[code].description} ${operatorErrors[code].fix}`,
      request_id: 'req_3f9c2ab81d5e4f60',
    },
  },
})

export const errorResponseName = (code: OperatorErrorCode): string => pascalCase(code)

/** The headers of an answer with this error. */
export function headersOfError(code: OperatorErrorCode) {
  const header = errorHeaders[code]
  return headersWith(...(header ? [header] : []))
}

export function errorResponse(code: OperatorErrorCode): OpenApiResponse {
  return {
    description: `\`${code}\`: ${operatorErrors[code].description} ${operatorErrors[code].fix}`,
    headers: headersOfError(code),
    content: {
      'application/json': { schema: refTo('schemas', 'Error'), examples: { [code]: errorExample(code) } },
    },
  }
}
