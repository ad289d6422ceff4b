import { type BodyOf, limits, type OperatorOperation, type QueryOf } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createBodyValidator } from '../http/body-validator.ts'
import { actorOf, bearerOf, type OperatorCaller } from './caller.ts'
import type { OperatorContext } from './context.ts'
import { invalidBody, missingToken } from './operator-error.ts'
import { refuseSecrets } from './pasted-secrets.ts'
import { queryReader } from './read-query.ts'

/** A call that has passed every check which does not need the thing itself. */
export interface OperatorCall<O extends OperatorOperation> {
  /** What stands for the part of the path in braces; empty where there is none. */
  id: string
  body: BodyOf<O>
  query: QueryOf<O>
  caller: OperatorCaller
  req: FastifyRequest
  reply: FastifyReply
}

/** What a handler answers. */
export interface Answer {
  body: unknown
  /** Default: the lowest status that the operation names. */
  status?: number
  /** Default: JSON. */
  contentType?: string
  /** What it was done to, for the operator log. Default: the id of the path. Never a secret. */
  subject?: string | null
}

export interface RouteOptions {
  /** The handler writes its own lines in the operator log. */
  notesItself?: boolean
}

/** Registers an operation of the contract, with everything that is the same for all of them. */
export type DefineOperatorRoute = <O extends OperatorOperation>(
  operation: O,
  handler: (call: OperatorCall<O>) => Promise<Answer>,
  options?: RouteOptions,
) => void

export function createDefineOperatorRoute(
  app: FastifyInstance,
  { auditLog: log, pools }: Pick<OperatorContext, 'auditLog' | 'pools'>,
): DefineOperatorRoute {
  return (operation, handler, { notesItself = false } = {}) => {
    const { method, path, body, responses, pathParameter } = operation
    const readQuery = queryReader(operation)
    const readBody = body && !operation.stream ? createBodyValidator(body.schema, invalidBody) : undefined
    const success = Math.min(...Object.keys(responses).map(Number))
    const isNoted = method !== 'GET' && !notesItself

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
        } as OperatorCall<typeof operation>
        if (isNoted) await refuseSecrets(pools.access, { id, body: call.body, token: bearerOf(req) })
        const answer = isNoted
          ? await log.record(actorOf(req.operator), `${method} ${path}`, () => answered(call))
          : await answered(call)
        if (answer.contentType) reply.header('content-type', answer.contentType)
        if (answer.status === 503) reply.header('retry-after', limits.retryAfterUnavailableSeconds)
        return reply.code(answer.status).send(answer.body)
      },
    })

    async function answered(call: OperatorCall<typeof operation>) {
      const answer = await handler(call)
      const { status = success, subject = call.id || null } = answer
      return { ...answer, status, subject }
    }
  }
}
