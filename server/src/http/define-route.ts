import {
  bases,
  type Contract,
  holdsScope,
  type Operation,
  type ResourceName,
  responseSchema,
  type Scope,
  type ValuesFor,
} from '@chancery/contract'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Viewer } from '../access/viewer.ts'
import type { Disclosed, Disclosure } from '../disclosure/disclosure.ts'
import type { Allowance } from '../limits/index.ts'
import type { Pulse } from '../store/pulse.ts'
import { ApiError, missingScope } from './api-error.ts'
import { allowedMethods } from './cors.ts'
import { createDeprecations } from './deprecation.ts'
import { parseParameters } from './parameters.ts'
import { createSharedBody, type SharedBody, sendPersonal, sendShared } from './respond.ts'

/** A call that has passed every check which does not need the thing itself. */
export interface Call<O extends Operation> {
  values: ValuesFor<O>
  viewer: Viewer
  /** What is left in the caller's window. */
  allowance: Allowance
  disclose: Disclosure
}

/** What a handler answers: one thing, or a page of them. Nothing undisclosed fits in. */
export type Answer =
  | { one: Disclosed<unknown> }
  | { many: Disclosed<unknown>[]; total: number; resource?: ResourceName }

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer>

/** Registers an operation under both bases, with everything that is the same for all of them. */
export type DefineRoute = <O extends Operation>(operation: O, handler: Handler<O>) => void

export interface RouteOptions {
  app: FastifyInstance
  contract: Contract
  disclose: Disclosure
  pulse: Pulse
  cacheBytesMax?: number
}

interface Remembered {
  body: SharedBody
  worldVersion: number
}

type Serialize = (answer: Answer, request: { page: number; limit: number }) => string

export function createDefineRoute(options: RouteOptions): DefineRoute {
  const { app, contract, disclose, pulse, cacheBytesMax = 24 * 1_048_576 } = options
  const context = { eventTypes: Object.keys(contract.eventKinds) }
  const cache = new LRUCache<string, Remembered>({
    maxSize: cacheBytesMax,
    // A compressed copy may join the body; the rest is the entry itself.
    sizeCalculation: ({ body }, key) => Math.ceil(body.bytes.length * 1.5) + key.length + 200,
  })
  const underWay = new Map<string, Promise<SharedBody>>()

  return (operation, handler) => {
    const serialize = createSerializer(contract, operation)
    const deprecations = createDeprecations(contract, operation)

    /** Asks the handler, and makes the body. Everything a call must show has been checked before. */
    const produce = async (req: FastifyRequest, values: ValuesFor<typeof operation>): Promise<string> => {
      requirePathIds(operation, values)
      const answer = await handler({ values, viewer: req.viewer, allowance: req.allowance, disclose })
      return serialize(answer, values as { page: number; limit: number })
    }

    /** A body for everybody: equal calls of one version of the world wait for one answer. */
    const share = (
      key: string,
      worldVersion: number | undefined,
      make: () => Promise<string>,
    ): Promise<SharedBody> => {
      if (worldVersion === undefined) return make().then(createSharedBody)
      const name = `${worldVersion} ${key}`
      const running = underWay.get(name)
      if (running) return running
      const started = make()
        .then(json => {
          const body = createSharedBody(json)
          cache.set(key, { body, worldVersion })
          return body
        })
        .finally(() => underWay.delete(name))
      underWay.set(name, started)
      return started
    }

    const answer = async (base: string, req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const url = req.raw.url ?? ''
      if (deprecations) reply.headers(deprecations(new URLSearchParams(queryOf(url))))
      const worldVersion = pulse.current()?.worldVersion
      const key = url.slice(base.length)
      if (operation.body !== 'personal') {
        const known = cache.get(key)
        if (known && known.worldVersion === worldVersion)
          return sendShared(req, reply, known.body, operation.body)
      }
      const values = parseParameters(operation, req.params as Record<string, string>, queryOf(url), context)
      const included = (values as { include?: string[] }).include ?? []
      authorize(operation, req.viewer, included)
      if (operation.body === 'personal' || included.length > 0)
        return sendPersonal(reply, await produce(req, values))
      return sendShared(
        req,
        reply,
        await share(key, worldVersion, () => produce(req, values)),
        operation.body,
      )
    }

    const path = operation.path.replace(/\{(\w+)\}/g, ':$1')
    const methods = operation.allowsHead ? allowedMethods : 'GET, OPTIONS'
    for (const base of Object.values(bases)) {
      app.route({
        method: app.supportedMethods,
        url: base + path,
        config: { methods, operation: operation.id },
        handler: (req, reply) => answer(base, req, reply),
      })
    }
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
