import type { Static, TObject, TSchema } from 'typebox'
import { listOf, strictObject } from '../shared-schemas.ts'

/**
 * An operation of the account API under `/developers/api`, which the developer settings page uses. It changes with the page, and bots must
 * not rely on it. Times are RFC 3339 in UTC; lists are `{ data: [ … ] }`.
 */
export interface AccountOperation {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** Whether a player must be signed in. */
  needsSession: boolean
  query?: TObject
  /** Without it a body must be absent or `{}`. */
  body?: { schema: TSchema; isOptional?: boolean }
  /** The schema of the response by its status. */
  responses: { 200: TSchema } | { 201: TSchema }
}

/** The path parameter, the query and the body of an operation: those that it has. */
export type AccountInput<O extends AccountOperation> = (O['path'] extends `${string}{id}${string}`
  ? { id: string }
  : unknown) &
  (O extends { query: infer Q extends TObject } ? { query: Static<Q> } : unknown) &
  (O extends { body: { schema: infer B extends TSchema } } ? { body: Static<B> } : unknown)

/** The response of an operation. */
export type AccountResponse<O extends AccountOperation> = O['responses'] extends
  | { 200: infer S extends TSchema }
  | { 201: infer S extends TSchema }
  ? Static<S>
  : never

type Schemas = Pick<AccountOperation, 'query' | 'body' | 'responses'>

/** Keeps the literal types of an operation. */
const operation =
  <const N extends boolean>(needsSession: N) =>
  <const M extends AccountOperation['method'], const P extends string, const S extends Schemas>(
    method: M,
    path: P,
    schemas: S,
  ) => ({ method, path, needsSession, ...schemas })

/** An operation that needs no session. */
export const openOperation = operation(false)

/** An operation for a player who is signed in. */
export const playerOperation = operation(true)

export const dataOf = <S extends TSchema>(item: S) => strictObject({ data: listOf(item) })

/** Items of a list. */
export interface AccountList<T> {
  data: T[]
}
