import { limits, type OperatorOperation } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createDefiner, type Define } from '../http/definer.ts'
import { createInputValidator } from '../http/input-validator.ts'
import { actorOf, bearerOf, type OperatorCaller } from './authentication.ts'
import type { OperatorContext } from './context.ts'
import { missingToken, OperatorError } from './operator-error.ts'
import { rejectSecrets } from './secret-scanning.ts'

export interface OperatorRequest {
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

/** Registers an operation of the operator API with validation, secret scanning and the audit log. */
export type DefineOperatorOperation = Define<OperatorOperation, OperatorRequest, OperatorResult>

export const createDefineOperatorOperation = (
  app: FastifyInstance,
  { auditLog, pools }: Pick<OperatorContext, 'auditLog' | 'pools'>,
): DefineOperatorOperation =>
  createDefiner<OperatorOperation, OperatorRequest, OperatorResult>({
    app,
    bases: [''],
    route: operation => ({
      method: operation.method,
      config: { operatorOperation: operation },
      exposeHeadRoute: false,
    }),
    steps(operation) {
      const { method, path, stream, responses } = operation
      const { body: _, ...withoutBody } = operation
      const success = Math.min(...Object.keys(responses).map(Number))
      // Operations with streams write the audit log themselves, per batch, and validate their bodies.
      const isAudited = method !== 'GET' && !stream
      return {
        validateAndAuthorize: createInputValidator<OperatorOperation>(
          stream ? withoutBody : operation,
          message => new OperatorError('bad_request', message),
        ),
        async respond({ req, reply, input: { id, body } }, runHandler) {
          const caller = req.operator
          if (!caller) throw missingToken()
          if (isAudited) await rejectSecrets(pools.access, { id, body, token: bearerOf(req) })
          const run = async () => {
            const result = await runHandler({ caller, req, reply })
            return { status: success, subject: id || null, ...result }
          }
          const result = isAudited
            ? await auditLog.record(actorOf(caller), `${method} ${path}`, run)
            : await run()
          if (result.contentType) reply.header('content-type', result.contentType)
          if (result.status === 503) reply.header('retry-after', limits.retryAfterUnavailableSeconds)
          return reply.code(result.status).send(result.body)
        },
      }
    },
  })
