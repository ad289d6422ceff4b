import type { Deprecation } from '../deprecation.ts'
import type { Parameters, ValuesOf } from '../parameters.ts'
import type { Scope } from '../scopes.ts'

/**
 * - `shared`: the same for everybody; has an ETag; clients may keep it for a minute.
 * - `shared_fresh`: the same for everybody; has an ETag; clients revalidate.
 * - `personal`: for this key alone; never kept.
 * - `stream`: the same for everybody; server-sent events, until the reader leaves; never kept.
 */
export type Body = 'shared' | 'shared_fresh' | 'personal' | 'stream'
/** A body that ends. */
export type WholeBody = Exclude<Body, 'stream'>

/**
 * Something that a caller may ask.
 * `scope` is never left open: `none` (no key needed), `key` (any valid key), or the scope that the key must hold.
 */
export interface Operation<P extends Parameters = Parameters, B extends Body = Body> {
  id: string
  /** Below either base. */
  path: string
  tag: 'Game' | 'Nations' | 'Alliances' | 'Wars' | 'Market' | 'History' | 'Own nation' | 'Verification'
  summary: string
  /** What it returns, in which order, and what to mind. */
  description: string
  scope: 'none' | 'key' | Scope
  parameters: P
  /** Scopes that a value of `include` demands. */
  includeScopes?: Record<string, Scope>
  body: B
  /** HEAD is answered like GET, unless a call has effects or never ends. */
  allowsHead: boolean
  returns: Returned
  deprecated?: Deprecation
  /** Errors besides those that every operation may answer. */
  errors?: readonly (
    | 'verification_code_unknown'
    | 'verification_code_expired'
    | 'verification_code_used'
    | 'cursor_expired'
    | 'not_found'
    | 'not_entitled'
  )[]
}

/** One thing or a page of things. `view` is what the most cleared reader gets; several resources are alternatives. */
export interface Returned {
  many: boolean
  resources: readonly ResourceName[]
  view: 'public' | 'owner'
}

export type ResourceName =
  | 'nation'
  | 'alliance'
  | 'alliance_member'
  | 'war'
  | 'battle'
  | 'market_price'
  | 'market_ranking'
  | 'nation_ranking'
  | 'alliance_ranking'
  | 'conflict'
  | 'era'
  | 'event'
  | 'news_item'
  | 'game'
  | 'key'
  | 'verified_identity'

export type ValuesFor<O extends Operation> = ValuesOf<O['parameters']>

type Description<P extends Parameters> = Omit<Operation<P, WholeBody>, 'allowsHead' | 'returns'> & {
  allowsHead?: boolean
}

/** An operation that returns one thing. */
export function oneOperation<P extends Parameters>(
  resource: ResourceName,
  description: Description<P> & { view?: Returned['view'] },
): Operation<P, WholeBody> {
  const { view = 'public', ...rest } = description
  return { allowsHead: true, ...rest, returns: { many: false, resources: [resource], view } }
}

/** An operation that returns a page of things in the list envelope. */
export function listOperation<P extends Parameters>(
  resources: ResourceName | readonly ResourceName[],
  description: Description<P>,
): Operation<P, WholeBody> {
  const names = typeof resources === 'string' ? [resources] : resources
  return { allowsHead: true, ...description, returns: { many: true, resources: names, view: 'public' } }
}

/** An operation that tells of things as they come, as server-sent events. It never ends by itself, so it has no HEAD. */
export function streamOperation<P extends Parameters>(
  resource: ResourceName,
  description: Omit<Description<P>, 'allowsHead' | 'body'>,
): Operation<P, 'stream'> {
  const returns: Returned = { many: false, resources: [resource], view: 'public' }
  return { ...description, body: 'stream', allowsHead: false, returns }
}
