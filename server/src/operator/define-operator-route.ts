import { type BodyOf, limits, type OperatorOperation, type QueryOf } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Compile } from 'typebox/compile'
import { createBodyValidator } from '../http/input-validator.ts'
import { actorOf, bearerOf, type OperatorCaller } from './authentication.ts'
import type { OperatorContext } from './context.ts'
import { invalidBody, missingToken, OperatorError } from './operator-error.ts'
import { rejectSecrets } from './secret-scanning.ts'

/** A validated request of an operation. */
export interface OperatorRequest<O extends OperatorOperation> {
  /** The path parameter; empty for none. */
  id: string
  body: BodyOf<O>
  query: QueryOf<O>
  caller: OperatorCaller
  req: FastifyRequest
  reply: FastifyReply
}

export interface OperatorResult {
  body: unknown
  /** Default: the lowest status of the operation. */
  status?: number
  /** Default: JSON. */
  contentType?: string
  /** The id of the changed item for the audit log, never a secret. Default: the path parameter. */
  subject?: string | null
}

export interface RouteOptions {
  /** The handler writes the audit log itself. */
  writesAuditLog?: boolean
}

/** Registers an operation of the contract with validation, secret scanning and the audit log. */
export type DefineOperatorRoute = <O extends OperatorOperation>(
  operation: O,
  handler: (request: OperatorRequest<O>) => Promise<OperatorResult>,
  options?: RouteOptions,
) => void

export function createDefineOperatorRoute(
  app: FastifyInstance,
  { auditLog: log, pools }: Pick<OperatorContext, 'auditLog' | 'pools'>,
): DefineOperatorRoute {
  return (operation, handler, { writesAuditLog = false } = {}) => {
    const { method, path, body, responses, pathParameter } = operation
    const readQuery = createQueryValidator(operation)
    const readBody = body && !operation.stream ? createBodyValidator(body.schema, invalidBody) : undefined
    const success = Math.min(...Object.keys(responses).map(Number))
    const isAudited = method !== 'GET' && !writesAuditLog

    app.route<{ Params: Record<string, string> }>({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operatorOperation: operation },
      exposeHeadRoute: false,
      async handler(req, reply) {
        if (!req.operator) throw missingToken()
        const id = (pathParameter && req.params[pathParameter.name]) ?? ''
        const given = body?.isOptional && req.body === undefined ? {} : req.body
        const call = {
          id,
          query: readQuery(req.query, req.url),
          body: readBody ? readBody(given) : given,
          caller: req.operator,
          req,
          reply,
        } as OperatorRequest<typeof operation>
        if (isAudited) await rejectSecrets(pools.access, { id, body: call.body, token: bearerOf(req) })
        const result = isAudited
          ? await log.record(actorOf(req.operator), `${method} ${path}`, () => run(call))
          : await run(call)
        if (result.contentType) reply.header('content-type', result.contentType)
        if (result.status === 503) reply.header('retry-after', limits.retryAfterUnavailableSeconds)
        return reply.code(result.status).send(result.body)
      },
    })

    async function run(call: OperatorRequest<typeof operation>) {
      const result = await handler(call)
      const { status = success, subject = call.id || null } = result
      return { ...result, status, subject }
    }
  }
}

/** Validates and converts the query of an operation. Unknown parameters are rejected: on an API that changes data a typo must not be ignored. */
function createQueryValidator<O extends OperatorOperation>({
  query,
}: O): (given: unknown, url: string) => QueryOf<O> {
  const known = query?.properties ?? {}
  const check = query && Compile(query)
  return (given, url) => {
    requireValidEncoding(url)
    const values: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(Object(given))) {
      const schema = Object.hasOwn(known, name) ? known[name] : undefined
      if (schema === undefined)
        throw new OperatorError('bad_request', `Unknown parameter ${JSON.stringify(name)}.`)
      if (typeof value !== 'string')
        throw new OperatorError('bad_request', `Parameter ${name} must be given only once.`)
      values[name] = converted((schema as { type?: unknown }).type, value)
    }
    if (check && !check.Check(values)) {
      const error = check.Errors(values).find(({ keyword }) => keyword !== 'boolean')
      const name = error?.instancePath.slice(1)
      throw new OperatorError('bad_request', `Parameter ${name} ${error?.message}.`)
    }
    return values as QueryOf<O>
  }
}

/** The parser would silently keep a malformed escape as text. */
function requireValidEncoding(url: string): void {
  const start = url.indexOf('?')
  if (start === -1) return
  try {
    decodeURIComponent(url.slice(start + 1))
  } catch {
    throw new OperatorError('bad_request', 'The query is not percent-encoded UTF-8.')
  }
}

/** Converts text to the schema's type; returns it unchanged where that fails, which the schema then rejects. */
function converted(type: unknown, text: string): unknown {
  if (type === 'integer' && /^\d{1,16}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}
