/**
 * Registers HTTP operations of all contracts (public, streams, operator, account): each contract gives the steps of its requests, and one
 * function makes routes of them.
 */
import type { Operation, Parameters, ValuesFor } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Input } from './input-validator.ts'

/** An operation of any contract. Path parameters are in braces. */
export interface HttpOperation {
  path: string
}

/** What validation makes of a request: the `parameters` of the public contract, else path parameter, query and body. */
export type InputOf<O> = O extends Operation<Parameters> ? { values: ValuesFor<O> } : Input<O>

/** Registers an operation with its handler, which gets the validated input and what the contract adds to it. */
export type Define<Op extends HttpOperation, Context, Result> = <O extends Op>(
  operation: O,
  handler: (request: InputOf<O> & Context) => Promise<Result>,
) => void

/** The steps of a request after the hooks of its listener, in their order. */
export interface Steps<Op, Context, Result> {
  /** Sends a cached response. No promise where the body is there: it is the hot path. */
  sendCached?(
    req: FastifyRequest,
    reply: FastifyReply,
    base: string,
  ): FastifyReply | Promise<FastifyReply> | undefined
  /** Validates and authorizes the request. @throws {HttpError} of the first check that fails. */
  validateAndAuthorize(req: FastifyRequest): InputOf<Op>
  /** Runs the handler and sends its result. */
  respond(
    request: { req: FastifyRequest; reply: FastifyReply; base: string; input: InputOf<Op> },
    runHandler: (context: Context) => Promise<Result>,
  ): FastifyReply | Promise<FastifyReply>
}

export interface DefinerOptions<Op extends HttpOperation, Context, Result> {
  app: FastifyInstance
  /** The operation is registered below each of them. */
  bases: readonly string[]
  route(operation: Op): Omit<RouteOptions, 'url' | 'handler'>
  /** Compiles the steps of an operation, once. */
  steps(operation: Op): Steps<Op, Context, Result>
}

/** Creates the function that registers the operations of one contract. */
export const createDefiner =
  <Op extends HttpOperation, Context, Result>({
    app,
    bases,
    route,
    steps,
  }: DefinerOptions<Op, Context, Result>): Define<Op, Context, Result> =>
  (operation, handler) => {
    const { sendCached, validateAndAuthorize, respond } = steps(operation)

    async function run(req: FastifyRequest, reply: FastifyReply, base: string): Promise<FastifyReply> {
      const input = validateAndAuthorize(req) as InputOf<typeof operation>
      return respond({ req, reply, base, input }, context => handler({ ...input, ...context }))
    }

    for (const base of bases) {
      app.route({
        ...route(operation),
        url: base + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        handler: (req, reply) => sendCached?.(req, reply, base) ?? run(req, reply, base),
      })
    }
  }
