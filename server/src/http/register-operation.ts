import {
  bases,
  type Contract,
  holdsScope,
  type Operation,
  type Scope,
  type ValuesFor,
} from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Viewer } from '../access/viewer.ts'
import { ApiError, missingScope } from './api-error.ts'
import { allowedMethods } from './cors.ts'
import { createDeprecations } from './deprecation.ts'
import { parseParameters } from './parameters.ts'

/** A call of an operation: nothing of it has been looked at yet. */
export interface OperationRequest<O extends Operation> {
  req: FastifyRequest
  reply: FastifyReply
  /** Path and query below the base: the same on both, so that both share what is remembered. */
  url: string
  /**
   * Every check that needs no look-up, in the order in which callers are told: parameters, key, scopes, path ids.
   * @throws {ApiError} for the first that fails.
   */
  check(): { values: ValuesFor<O>; included: readonly string[] }
}

/** Registers an operation under both bases. `answer` is all that differs from operation to operation. */
export type RegisterOperation = <O extends Operation>(
  operation: O,
  answer: (visit: OperationRequest<O>) => FastifyReply | Promise<FastifyReply>,
) => void

export function createRegisterOperation({
  app,
  contract,
}: {
  app: FastifyInstance
  contract: Contract
}): RegisterOperation {
  const context = { eventTypes: Object.keys(contract.eventKinds) }
  return (operation, answer) => {
    const deprecations = createDeprecations(contract, operation)

    const check = (req: FastifyRequest, query: string) => {
      const path = req.params as Record<string, string>
      const values = parseParameters(operation, { path, query, headers: req.headers }, context)
      const included = (values as { include?: string[] }).include ?? []
      authorize(operation, req.viewer, included)
      requirePathIds(operation, values)
      return { values, included }
    }

    const path = operation.path.replace(/\{(\w+)\}/g, ':$1')
    const methods = operation.allowsHead ? allowedMethods : 'GET, OPTIONS'
    for (const base of Object.values(bases)) {
      app.route({
        method: app.supportedMethods,
        url: base + path,
        config: { methods, operation: operation.id },
        handler: (req, reply) => {
          const url = req.raw.url ?? ''
          if (deprecations) reply.headers(deprecations(new URLSearchParams(queryOf(url))))
          return answer({ req, reply, url: url.slice(base.length), check: () => check(req, queryOf(url)) })
        },
      })
    }
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** First whether there is a key, then whether it may: the operation's own scope, and those of the sections asked for. */
function authorize(operation: Operation, viewer: Viewer, included: readonly string[]): void {
  const { scope, includeScopes = {} } = operation
  const needed = [scope, ...included.map(section => includeScopes[section])].filter(
    (name): name is Scope => name !== undefined && name !== 'none' && name !== 'key',
  )
  if (scope === 'none' && needed.length === 0) return
  if (viewer.kind === 'anonymous') {
    throw new ApiError('api_key_required', undefined, { 'www-authenticate': 'Bearer' })
  }
  const missing = needed.find(name => !holdsScope(viewer.key.scopes, name))
  if (missing) throw missingScope(missing)
}

const idForm = /^[A-Za-z0-9_-]{1,64}$/

/** A path id of any other form names nothing. */
function requirePathIds(operation: Operation, values: Record<string, unknown>): void {
  for (const [name, { in: place, kind }] of Object.entries(operation.parameters)) {
    if (place === 'path' && kind === 'id' && !idForm.test(String(values[name])))
      throw new ApiError('not_found')
  }
}
