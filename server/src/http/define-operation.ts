import {
  type CachePolicy,
  type Contract,
  type Operation,
  type Parameters,
  type ResourceName,
  responseSchema,
  type ValuesFor,
} from '@chancery/contract'
import fastJson from 'fast-json-stringify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Viewer } from '../access/viewer.ts'
import type { Disclosed, Disclosure } from '../disclosure/disclosure.ts'
import type { RateLimitState } from '../limits/rate-limit.ts'
import type { Pulse } from '../store/pulse.ts'
import type { OperationRequest, RegisterOperation } from './register-operation.ts'
import type { RequestTrace } from './request-trace.ts'
import { sendCacheable, sendPrivate } from './respond.ts'
import { createResponseCache } from './response-cache.ts'

/** A call that has passed every check which does not need the thing itself. */
export interface RequestContext<O extends Operation> {
  values: ValuesFor<O>
  viewer: Viewer
  /** What is left in the caller's window. */
  rateLimit: RateLimitState
  disclose: Disclosure
}

/** What a handler answers: one thing, or a page of them. Nothing undisclosed fits in. */
export type HandlerResult =
  | { one: Disclosed<unknown> }
  | { many: Disclosed<unknown>[]; total: number; resource?: ResourceName }

export type Handler<O extends Operation> = (call: RequestContext<O>) => Promise<HandlerResult>

/** Registers an operation under both bases, with everything that is the same for all of them. */
export type DefineOperation = <O extends Operation<Parameters, CachePolicy>>(
  operation: O,
  handler: Handler<O>,
) => void

export interface DefineOperationOptions {
  register: RegisterOperation
  contract: Contract
  disclose: Disclosure
  pulse: Pick<Pulse, 'current'>
  requestTrace?: RequestTrace | undefined
}

type Serialize = (answer: HandlerResult, request: { page: number; limit: number }) => string

export function createDefineOperation(options: DefineOperationOptions): DefineOperation {
  const { register, contract, disclose, pulse, requestTrace } = options
  const responseCache = createResponseCache()

  return (operation, handler) => {
    const serialize = createSerializer(contract, operation)

    /** Asks the handler, and makes the body. Everything a call must show has been checked before. */
    const produce = async (req: FastifyRequest, values: ValuesFor<typeof operation>): Promise<string> => {
      const answer = await handler({ values, viewer: req.viewer, rateLimit: req.rateLimit, disclose })
      return serialize(answer, values as { page: number; limit: number })
    }

    const answer = async (
      { req, reply, url, check }: OperationRequest<typeof operation>,
      worldVersion: number | undefined,
    ): Promise<FastifyReply> => {
      const { values, included } = check()
      if (operation.cache === 'private' || included.length > 0) {
        requestTrace?.cache(req, 'private', worldVersion)
        return sendPrivate(reply, await produce(req, values))
      }
      requestTrace?.cache(req, 'miss', worldVersion)
      const cacheKey = { url, key: `${operation.id} ${JSON.stringify(values)}` }
      const body = await responseCache.getOrCompute(cacheKey, worldVersion, () => produce(req, values))
      return sendCacheable(req, reply, body, operation.cache)
    }

    register(operation, visit => {
      const worldVersion = pulse.current()?.worldVersion
      if (operation.cache !== 'private') {
        // What is remembered is sent at once: the hot path makes no promise.
        const known = responseCache.get(visit.url, worldVersion)
        if (known) {
          requestTrace?.cache(visit.req, 'hit', worldVersion)
          return sendCacheable(visit.req, visit.reply, known, operation.cache)
        }
      }
      return answer(visit, worldVersion)
    })
  }
}

/** Compiles the contract's response schema: what it does not name, does not leave. */
function createSerializer(contract: Contract, operation: Operation): Serialize {
  const byResource = new Map<ResourceName, (body: unknown) => string>(
    operation.returns.resources.map(name => [
      name,
      fastJson(responseSchema(contract, operation, name) as object),
    ]),
  )
  const [first] = operation.returns.resources
  const write = (name: ResourceName | undefined, body: unknown): string => {
    const serialize = byResource.get(name ?? (first as ResourceName))
    if (!serialize) throw new Error(`${operation.id} answered with ${name}`)
    return serialize(body)
  }
  return (answer, { page, limit }) => {
    if ('one' in answer) return write(undefined, { data: answer.one })
    const { many, total, resource } = answer
    return write(resource, {
      data: many,
      pagination: { page, limit, total, pages: Math.ceil(total / limit) },
    })
  }
}
