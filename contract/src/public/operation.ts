import type { Deprecation } from '../classification.ts'
import type { FactResource, ResourceName } from '../contract.ts'
import type { Scope } from '../scopes.ts'
import type { Parameters, ValuesOf } from './parameters.ts'

/**
 * The Cache-Control policy of a response.
 *
 * - `public`: the same for all callers; has an ETag; clients may cache it for `sharedCacheSeconds`. The header is `private, max-age=60`,
 *   because each response also has the rate-limit headers of its caller, which a shared cache would send to others.
 * - `revalidate`: the same for all callers; has an ETag; clients revalidate it.
 * - `private`: for the caller’s key alone; never stored.
 */
export type CachePolicy = 'public' | 'revalidate' | 'private'
/** `stream`: server-sent events, the same for all callers, until the client disconnects; never stored. */
export type ResponseMode = CachePolicy | 'stream'

/** A request that the API serves. `scope`: `none` (no key needed), `key` (any valid key), or the scope that the key must hold. */
export interface Operation<P extends Parameters = Parameters, M extends ResponseMode = ResponseMode> {
  id: string
  /** Below either base. */
  path: string
  tag:
    | 'Game'
    | 'Nations'
    | 'Alliances'
    | 'Treaties'
    | 'Wars'
    | 'Market'
    | 'History'
    | 'Copies'
    | 'Own nation'
    | 'Verification'
  summary: string
  /** What it returns, in which order, and its conditions. */
  description: string
  scope: 'none' | 'key' | Scope
  parameters: P
  /** The scope that each value of `include` requires. */
  includeScopes?: Record<string, Scope>
  cache: M
  /** The version for which the service caches its response. Default: that of the world. */
  version?: 'changes'
  /** False where a GET has side effects or never ends. */
  allowsHead: boolean
  returns: Returns
  /** A parameter whose value selects the resource that is returned. */
  resourceBy?: { parameter: string; resources: Readonly<Record<string, ResourceName>> }
  deprecated?: Deprecation
  /** Errors in addition to those that every operation may return. */
  errors?: readonly (
    | 'verification_code_unknown'
    | 'verification_code_expired'
    | 'verification_code_used'
    | 'cursor_expired'
    | 'not_found'
    | 'not_entitled'
  )[]
}

/** An item or a page of items. `view` is what the viewer with the highest clearance gets; several resources are alternatives. */
export interface Returns {
  isList: boolean
  resources: readonly ResourceName[]
  view: 'public' | 'owner'
  /** A component of its own, in which these nullable fields are never null. */
  narrowed?: { component: string; description: string; neverNull: readonly string[] }
}

export type ValuesFor<O extends Operation> = ValuesOf<O['parameters']>

type Description<P extends Parameters> = Omit<Operation<P, CachePolicy>, 'allowsHead' | 'returns'> & {
  allowsHead?: boolean
}

/** An operation that returns one item. */
export function itemOperation<P extends Parameters>(
  resource: ResourceName,
  description: Description<P> & { view?: Returns['view'] },
): Operation<P, CachePolicy> {
  const { view = 'public', ...rest } = description
  return { allowsHead: true, ...rest, returns: { isList: false, resources: [resource], view } }
}

/** An operation that returns a page of items in the list envelope. */
export function listOperation<P extends Parameters>(
  resources: ResourceName | readonly ResourceName[],
  description: Description<P>,
): Operation<P, CachePolicy> {
  const names = typeof resources === 'string' ? [resources] : resources
  return { allowsHead: true, ...description, returns: { isList: true, resources: names, view: 'public' } }
}

/** A list whose query is derived: all stored public fields of a resource, filtered by parameters made by `filterBy`. */
export interface DerivedList<P extends Parameters = Parameters, R extends FactResource = FactResource>
  extends Operation<P, CachePolicy> {
  resource: R
  order: ListOrder
}

/** Fields by which a list is ordered, the primary key last. Null comes last. */
export type ListOrder = Readonly<Record<string, 'ascending' | 'descending'>>

export function derivedListOperation<P extends Parameters, R extends FactResource>(
  resource: R,
  {
    order,
    narrowed,
    ...description
  }: Description<P> & { order: ListOrder; narrowed?: NonNullable<Returns['narrowed']> },
): DerivedList<P, R> {
  const operation = listOperation(resource, description)
  return { ...operation, returns: { ...operation.returns, ...(narrowed && { narrowed }) }, resource, order }
}

/** An operation that sends items as server-sent events. It never ends by itself, so it has no HEAD. */
export function streamOperation<P extends Parameters>(
  resource: ResourceName,
  description: Omit<Description<P>, 'allowsHead' | 'cache'>,
): Operation<P, 'stream'> {
  const returns: Returns = { isList: false, resources: [resource], view: 'public' }
  return { ...description, cache: 'stream', allowsHead: false, returns }
}
