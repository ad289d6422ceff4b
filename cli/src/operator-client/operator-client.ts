import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { json } from 'node:stream/consumers'
import type { OperatorMethod, OperatorOperation, RequestOf, ResponseOf } from '@chancery/contract'
import type { Static, TSchema } from 'typebox'
import { CommandError } from '../command-error.ts'
import { findOperatorApi, type OperatorAddress } from './operator-address.ts'

/** A client of the operator API of the running service. */
export interface OperatorClient {
  readonly url: string
  /**
   * Calls an operation and resolves to its response, checked by the schema of the operation and without members that it does not
   * list. Throws a CommandError for an error response, an unexpected response, and a service that is unavailable.
   */
  call<O extends OperatorOperation>(operation: O, ...request: RequestOf<O>): Promise<ResponseOf<O>>
  /** Starts a streamed request; the caller writes it, ends it and reads the response. */
  open(method: OperatorMethod, path: string, headers?: Record<string, string>): ClientRequest
}

/** The client for the service that the environment names. Throws a CommandError that states what to set. */
export const openOperatorClient = async (env: NodeJS.ProcessEnv): Promise<OperatorClient> =>
  createOperatorClient(await findOperatorApi(env))

export function createOperatorClient({ url, token }: OperatorAddress): OperatorClient {
  const base = url.endsWith('/') ? url : `${url}/`
  const start = base.startsWith('https:') ? httpsRequest : httpRequest

  const open: OperatorClient['open'] = (method, path, headers) => {
    const options: RequestOptions = {
      method,
      // A connection for each request: the service may close a kept one as it is used again.
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    }
    const req = start(new URL(path.slice(1), base), options)
    // A response may take long; TCP keep-alive detects a lost peer within half a minute.
    req.setSocketKeepAlive(true, 10_000)
    return req
  }

  return {
    url,
    open,
    async call<O extends OperatorOperation>(operation: O, ...[request = {}]: RequestOf<O>) {
      const { id = '', query, body } = request as { id?: string; query?: object; body?: unknown }
      const path = operation.path.replace(/\{\w+\}/, encodeURIComponent(id)) + queryText(query)
      const text = body === undefined ? undefined : JSON.stringify(body)
      const req = open(
        operation.method,
        path,
        text === undefined ? {} : { 'content-type': 'application/json' },
      )
      try {
        const response = responseTo(req)
        req.end(text)
        const res = await response
        if (isSuccess(res)) return await parseResponse(operation, await json(res))
        const document = await json(res).catch(() => undefined)
        // The outcome of a batch is a response of any status.
        if (Object.hasOwn(operation.responses, res.statusCode ?? 0) && !isErrorDocument(document))
          return await parseResponse(operation, document)
        throw errorOf(res, document)
      } catch (err) {
        throw explainConnectionError(err, url)
      }
    },
  }
}

function queryText(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

async function parseResponse<O extends OperatorOperation>(
  operation: O,
  document: unknown,
): Promise<ResponseOf<O>> {
  const [success] = Object.values(operation.responses)
  const schema = success?.content['application/json']?.schema
  if (!schema) throw new Error(`${operation.id} has no JSON response`)
  return (await parseAs(schema, document, operation.id)) as ResponseOf<O>
}

/** Words that a later version may add: they are shown unchanged. */
const openEnums = /\/(disabled_reason|(scopes|roles)\/\d+)$/

/** Removes members that the schema does not list, and throws a CommandError, without values, if the rest does not fit. */
export async function parseAs<S extends TSchema>(
  schema: S,
  document: unknown,
  operationId: string,
): Promise<Static<S>> {
  // Loaded with the first response: --help does without.
  const { Clean, Errors } = await import('typebox/value')
  const cleaned = Clean(schema, document)
  for (const { keyword, instancePath, message } of Errors(schema, cleaned)) {
    const isShape = keyword === 'type' || keyword === 'required' || keyword === 'const'
    if (isShape || (keyword === 'enum' && !openEnums.test(instancePath)))
      throw new CommandError(
        `unexpected response to ${operationId}: ${`${instancePath} ${message}`.trim()}. Do the service and this command have the same version?`,
      )
  }
  return cleaned as Static<S>
}

export function responseTo(req: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    req.once('response', resolve)
    // Stays: an error after the response means that sending failed, and the end of the response reports it too.
    req.on('error', reject)
  })
}

export const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300

/** The service is unavailable; a retry may succeed. */
export class ServiceUnavailableError extends CommandError {}

/** The item does not exist. */
export class NotFoundError extends CommandError {}

const errorClasses: Record<number, typeof CommandError> = { 404: NotFoundError, 503: ServiceUnavailableError }

/** The error of a response, as one line. */
export const responseError = async (res: IncomingMessage): Promise<CommandError> =>
  errorOf(res, await json(res).catch(() => undefined))

interface ErrorDocument {
  error: { code: string; message: string; request_id: string }
}

const isErrorDocument = (document: unknown): document is ErrorDocument =>
  typeof Object(Object(document).error).message === 'string'

function errorOf({ statusCode: status = 0 }: IncomingMessage, document: unknown): CommandError {
  if (status === 401)
    return new CommandError(
      'the operator token was rejected (401). Used: CHANCERY_OPERATOR_TOKEN, else CHANCERY_ADMIN_TOKEN, else operator-token in the data directory. Set a token of the running service',
    )
  const ErrorClass = errorClasses[status] ?? CommandError
  return new ErrorClass(
    isErrorDocument(document)
      ? `${document.error.message} (${document.error.code}, request ${document.error.request_id})`
      : `the service returned status ${status}: is this the address of the operator API?`,
  )
}

/** Turns a connection error into a CommandError; other errors are returned unchanged. */
export function explainConnectionError(err: unknown, url: string): unknown {
  if (err instanceof SyntaxError)
    return new CommandError(`${url} does not return JSON: is this the address of the operator API?`)
  if (!(err instanceof Error) || !('code' in err)) return err
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(String(err.code)))
    return new CommandError(
      `the certificate of ${url} is not trusted (${err.code}): CHANCERY_OPERATOR_URL must use a host name of the certificate, and NODE_EXTRA_CA_CERTS must name the file of a private certificate authority`,
    )
  if (err.code === 'ECONNREFUSED' || err.code === 'ENOTFOUND' || err.code === 'EAI_AGAIN')
    return new ServiceUnavailableError(
      `the service is not reachable at ${url} (${err.code}): start it, or set CHANCERY_OPERATOR_URL to the running one`,
    )
  return new ServiceUnavailableError(`the connection to ${url} was lost (${err.code})`)
}
