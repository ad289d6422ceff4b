/**
 * HTTP: everything that is the same for all operations. Start here: these are the steps of a request to the public API, in their order.
 * `definer.ts` registers the operations of all contracts.
 *
 *  1. identify   `admission.ts`: the viewer is the key in `Authorization`, else anonymous.
 *  2. limit      `admission.ts`: one request is consumed from the bucket of the key and, where the key has no limit of its own, from that
 *                of its player; without a valid key from the bucket of the address, which limits guessing. Then 405, 429 and 401 (bad
 *                key), in this order. Requests that fail a later step count too. Nothing is consumed for a request without exactly one
 *                Host header (400), for OPTIONS (204), while keys cannot be looked up (503), and beyond the limit (429).
 *  3. cache      A cached response to the same URL in the same world version is sent. Before validation: the request that made the
 *                entry passed it, and only responses that are the same for every viewer are cached.
 *  4. validate   `parameters.ts`: query and headers (400). Path parameters are copied.
 *  5. authorize  The operation's scope and those of the sections in `include` (401, 403). After validation, which names the sections.
 *                Then path ids that cannot exist (404): a viewer without the scope does not learn whether an id does.
 *  6. load       A second cache look-up by operation and parsed values: other spellings of a request share one entry. Equal cacheable
 *                requests in flight share one load (single-flight, `getOrCompute`). The handler is in the resource's `handlers.ts`, or in
 *                `createHandlers` in `api.ts`, and calls the resource's `store.ts`; the query of a plain list is derived from the contract.
 *  7. disclose   The handler passes items through `disclosure/`: its result can hold `Disclosed` values only.
 *  8. serialize  By the contract's response schema: a field that it does not name is not written.
 *  9. respond    `response-cache.ts`: Cache-Control, ETag and 304, compression. Private responses are `no-store`.
 */
import {
  bases,
  type CachePolicy,
  type Contract,
  type Deprecation,
  type DerivedList,
  holdsScope,
  idPattern,
  type Operation,
  type operations,
  type Parameters,
  type PublicOf,
  type ResourceName,
  responseSchema,
  type Scope,
  type ValuesFor,
} from '@chancery/contract'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Viewer } from '../access/key.ts'
import type { Disclosed, Disclosure } from '../disclosure/disclosure.ts'
import type { RateLimitState } from '../limits/rate-limit.ts'
import type { Page } from '../store/paging.ts'
import type { ReadChoice, Reads } from '../store/reads.ts'
import { allowedMethods } from './admission.ts'
import { createDefiner, type Define, type DefinerOptions, type InputOf } from './definer.ts'
import { ApiError, missingScope, notFound } from './http-error.ts'
import { lazy } from './lazy.ts'
import { parameterNamed, parseParameters } from './parameters.ts'
import type { RequestTrace } from './request-metrics.ts'
import { createResponseCache, sendCacheable, sendPrivate } from './response-cache.ts'

export interface RequestContext {
  /** The index of the database server to read from: 0 for the primary. */
  server: number
  viewer: Viewer
  rateLimit: RateLimitState
  disclose: Disclosure
}

/** An item, or a page of items. */
export type HandlerResult =
  | { item: Disclosed<unknown> }
  | { items: Disclosed<unknown>[]; total: number; resource?: ResourceName }

export type JsonOperation = Operation<Parameters, CachePolicy>

/** Registers an operation of the public API that returns JSON. */
export type DefineOperation = Define<JsonOperation, RequestContext, HandlerResult>

export type Handler<O extends JsonOperation> = (
  request: InputOf<O> & RequestContext,
) => Promise<HandlerResult>
type Operations = typeof operations
type NameOf<O> = { [K in keyof Operations]: Operations[K] extends O ? K : never }[keyof Operations]
type StreamName = NameOf<Operation<Parameters, 'stream'>>
type DerivedName = NameOf<DerivedList>

/** A handler of each operation that returns JSON, by its name in the contract. Derived lists may have one. */
export type Handlers = {
  [K in Exclude<keyof Operations, StreamName | DerivedName>]: Handler<Operations[K] & JsonOperation>
} & { [K in DerivedName]?: Handler<Operations[K] & JsonOperation> }

type Public<N extends ResourceName> = PublicOf<Contract['resources'][N]>

/** The public view of an item. @throws {ApiError} 404 for undefined. */
export function itemResult<N extends ResourceName>(
  disclose: Disclosure,
  name: N,
  item: Public<N> | undefined,
): HandlerResult {
  if (item === undefined) throw notFound(name.replaceAll('_', ' '))
  return { item: disclose.toPublic(name, item) }
}

/** The public view of a page of items. */
export function pageResult<N extends ResourceName>(
  disclose: Disclosure,
  name: N,
  { items, total }: Page<Public<N>>,
): HandlerResult {
  return { items: items.map(item => disclose.toPublic(name, item)), total, resource: name }
}

export interface DefineOperationOptions {
  app: FastifyInstance
  contract: Contract
  disclose: Disclosure
  reads: Pick<Reads, 'choose' | 'run'>
  /** The version of responses from the change log. */
  horizon: { version(): number | undefined }
  requestTrace?: RequestTrace | undefined
}

/** Clients that follow the change log request the same few pages. */
const changesCacheBytes = 2 * 1_048_576

export function createDefineOperation(options: DefineOperationOptions): DefineOperation {
  const { app, contract, disclose, reads, horizon, requestTrace } = options
  const caches = {
    world: { cache: createResponseCache(), choose: reads.choose },
    // Of the primary: a replica may lack changes that the horizon includes.
    changes: {
      cache: createResponseCache(changesCacheBytes),
      choose: (): ReadChoice => ({ server: 0, version: horizon.version() }),
    },
  }

  return createDefiner<JsonOperation, RequestContext, HandlerResult>({
    ...publicRoutes(app, contract),
    steps(operation) {
      const serialize = createSerializer(contract, operation)
      const { cache: policy, version: versionName = 'world' } = operation
      const { cache, choose } = caches[versionName]

      return {
        sendCached(req, reply, base) {
          if (policy === 'private') return undefined
          const { version } = choose()
          const body = cache.get(belowBase(req, base), version)
          if (body === undefined) return undefined
          requestTrace?.cache(req, 'hit', version)
          return sendCacheable(req, reply, body, policy)
        },

        validateAndAuthorize: createValidate(contract, operation),

        async respond({ req, reply, base, input: { values } }, runHandler) {
          const { server, version } = choose()
          const { viewer, rateLimit } = req
          const readFrom = async (server: number) =>
            serialize(await runHandler({ server, viewer, rateLimit, disclose }), values)
          if (policy === 'private' || includedSections(values).length > 0) {
            requestTrace?.cache(req, 'private', version)
            return sendPrivate(reply, await readFrom(0))
          }
          const compute = () => reads.run(server, readFrom)
          requestTrace?.cache(req, 'miss', version)
          // The key is the same for all spellings of a request: unknown parameters and their order are not in it.
          const cacheKey = { url: belowBase(req, base), key: `${operation.id} ${JSON.stringify(values)}` }
          return sendCacheable(req, reply, await cache.getOrCompute(cacheKey, version, compute), policy)
        },
      }
    },
  })
}

/** How every public operation is registered: below both bases, for all methods, so that a wrong one is counted and gets 405. */
export const publicRoutes = (
  app: FastifyInstance,
  contract: Contract,
): Pick<DefinerOptions<Operation, unknown, unknown>, 'app' | 'bases' | 'route'> => ({
  app,
  bases: Object.values(bases),
  route(operation) {
    const deprecations = createDeprecations(contract, operation)
    return {
      method: app.supportedMethods,
      config: { methods: operation.allowsHead ? allowedMethods : 'GET, OPTIONS', operation: operation.id },
      ...(deprecations && {
        preHandler: (req, reply, done) => {
          reply.headers(deprecations(new URLSearchParams(queryOf(req))))
          done()
        },
      }),
    }
  },
})

/** Validates and authorizes the requests of an operation. */
export function createValidate<O extends Operation>(contract: Contract, operation: O) {
  const context = { eventTypes: Object.keys(contract.eventKinds) }
  return (req: FastifyRequest): { values: ValuesFor<O> } => {
    const path = req.params as Record<string, string>
    const values = parseParameters(operation, { path, query: queryOf(req), headers: req.headers }, context)
    authorize(operation, req.viewer, includedSections(values))
    requirePathIds(operation, values)
    return { values }
  }
}

/** Path and query below the base, so that both bases share cached responses. */
const belowBase = ({ raw: { url = '' } }: FastifyRequest, base: string): string => url.slice(base.length)

function queryOf({ raw: { url = '' } }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

const includedSections = (values: object): readonly string[] =>
  (values as { include?: string[] }).include ?? []

/** First whether there is a key, then whether it holds the scopes: the operation's own, and those of the included sections. */
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

const idForm = new RegExp(idPattern)

/** @throws {ApiError} 404 for a path id that no item can have. */
function requirePathIds(operation: Operation, values: Record<string, unknown>): void {
  for (const [name, { in: location, kind }] of Object.entries(operation.parameters)) {
    if (location === 'path' && kind === 'id' && !idForm.test(String(values[name])))
      throw new ApiError('not_found')
  }
}

type Serialize = (result: HandlerResult, request: object) => string

/** Compiles the contract's response schema: a field that it does not name is not written. */
function createSerializer(contract: Contract, operation: Operation): Serialize {
  const { resources } = operation.returns
  const writers = new Map(
    resources.map(name => [name, lazy(() => fastJson(responseSchema(contract, operation, name) as object))]),
  )
  const write = (body: unknown, name = resources[0]): string => {
    const writer = name && writers.get(name)
    if (!writer) throw new Error(`${operation.id} returned ${name}, which its contract does not name`)
    return writer()(body)
  }
  return (result, values) => {
    if ('item' in result) return write({ data: result.item })
    const { page, limit } = values as { page: number; limit: number }
    const { items, total, resource } = result
    return write(
      { data: items, pagination: { page, limit, total, pages: Math.ceil(total / limit) } },
      resource,
    )
  }
}

/** The headers of RFC 9745 and RFC 8594. */
const headersOf = ({ since, sunset }: Deprecation): Record<string, string> => ({
  deprecation: `@${Math.floor(Date.parse(since) / 1000)}`,
  sunset: new Date(sunset).toUTCString(),
})

/**
 * The Deprecation and Sunset headers of an operation: of the operation itself, a field that it returns, or a parameter of the request. Of
 * several, the one with the earliest sunset. Undefined where nothing is deprecated.
 */
export function createDeprecations(contract: Contract, operation: Operation) {
  const fields = operation.returns.resources.flatMap(name =>
    Object.values(contract.resources[name].fields).map(field => field['x-deprecated']),
  )
  const always = [operation.deprecated, ...fields].filter(part => part !== undefined)
  const byParameter = Object.entries(operation.parameters).flatMap(([name, { deprecated }]) =>
    deprecated ? [[name, deprecated] as const] : [],
  )
  if (always.length + byParameter.length === 0) return undefined
  return (query: URLSearchParams): Record<string, string> => {
    const names = new Set([...query.keys()].map(name => parameterNamed(operation.parameters, name)))
    const given = byParameter.filter(([name]) => names.has(name)).map(([, deprecation]) => deprecation)
    const [first] = [...always, ...given].sort(
      (one, other) => Date.parse(one.sunset) - Date.parse(other.sunset),
    )
    return first ? headersOf(first) : {}
  }
}
