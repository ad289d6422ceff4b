import type { Static, TObject, TSchema } from 'typebox'
import { annotate, listOf, strictObject } from '../shared-schemas.ts'
import type { OperatorErrorCode } from './errors.ts'

export const operatorRoles = {
  facts:
    'Send facts (including deletions, redactions and resets, but not `erase`), read feed positions, and read, retry or drop rejected batches of every sender. A holder can change the whole world, and can find out what other senders have sent: a rejected snapshot states how many rows it omits, and a batch with a guessed id and content is reported as a duplicate. Give it to servers that may know all that the game sends.',
  identity:
    'Create verification codes and handover links for every player. Each link gives access to the developer settings with the keys and webhooks of that player: protect the token like the passwords of all players.',
  metrics: 'Read the metrics.',
  admin: 'Everything, including erasing players, and creating and revoking tokens.',
} as const

export type OperatorRole = keyof typeof operatorRoles

export const operatorRoleNames = Object.keys(operatorRoles) as OperatorRole[]

/** Whether these roles include one of `needed`, or `admin`. */
export const hasRole = (held: ReadonlySet<OperatorRole>, needed: readonly OperatorRole[]): boolean =>
  held.has('admin') || needed.some(role => held.has(role))

export type OperatorMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The sections of the reference, in order. */
export const operatorTags = {
  Facts: 'Data from the game: the only input for data of the world.',
  Identity: 'Codes with which players prove who they are, and links that sign them in.',
  Keys: 'API keys of players.',
  Players: 'Suspension of players.',
  Webhooks: 'Webhook endpoints of players.',
  Calls: 'The request log of the public API, and usage by key and address.',
  Tokens: 'Operator tokens, and the audit log.',
  Service: 'Status and metrics of the service, and backups.',
} as const
export type OperatorTag = keyof typeof operatorTags

/** A body, of one content type, and examples of it by name. */
export interface OperatorContent {
  schema: TSchema
  examples: Record<string, unknown>
}

/** The response with one status. */
export interface OperatorResponse {
  description: string
  content: Record<string, OperatorContent>
}

export interface OperatorHeader {
  description: string
  schema: TSchema
}

/** A request that the operator API serves. */
export interface OperatorOperation {
  id: string
  method: OperatorMethod
  path: string
  tag: OperatorTag
  /** The token must have one of these roles, or `admin`, which is not listed. */
  roles: readonly OperatorRole[]
  summary: string
  description: string
  /** Every request but a GET is recorded in the audit log, unless this is false. */
  isAudited?: false
  /** The parameter in braces in the path. */
  pathParameter?: { name: string; description: string; example: string }
  query?: TObject
  headers?: Record<string, OperatorHeader>
  /** A JSON body of at most 8 MiB. `isOptional`: without one it counts as `{}`. */
  body?: { schema: TSchema; examples: Record<string, unknown>; isOptional?: boolean }
  /** A body of any length instead, by its content type. */
  stream?: Record<string, OperatorContent>
  /** By status. The lowest is that of success. */
  responses: Readonly<Record<number, OperatorResponse>>
  /** Errors in addition to those that every operation may return. */
  errors?: readonly OperatorErrorCode[]
}

/** The types of the body, the query and the JSON of a successful response. */
export type BodyOf<O> = O extends { body: { schema: infer S extends TSchema } } ? Static<S> : unknown
export type QueryOf<O> = O extends { query: infer Q extends TObject } ? Static<Q> : Record<string, never>

type SuccessOf<A> = A extends { 200: infer R } ? R : A extends { 201: infer R } ? R : never
export type ResponseOf<O extends OperatorOperation> =
  SuccessOf<O['responses']> extends { content: { 'application/json': { schema: infer S extends TSchema } } }
    ? Static<S>
    : unknown

/** The arguments of a call: the id in its path, its query and its body. */
export type RequestOf<O extends OperatorOperation> = O extends { pathParameter: object }
  ? [request: { id: string; query?: QueryOf<O>; body?: BodyOf<O> }]
  : [request?: { query?: QueryOf<O>; body?: BodyOf<O> }]

/** Keeps the types of body, query and responses. */
export const operatorOperation = <const O extends OperatorOperation>(operation: O): O => operation

/** A response in JSON. */
export const jsonResponse = <S extends TSchema>(description: string, schema: S, example: unknown) => ({
  description,
  content: { 'application/json': { schema, examples: { Example: example } } },
})

/** A schema that becomes a component of the document. */
export const named = <S extends TSchema>(title: string, schema: S): S => annotate(schema, { title })

/** A list: `{ "data": [ … ] }`. */
export const listResponse = <S extends TSchema>(description: string, item: S, example: unknown) =>
  jsonResponse(description, strictObject({ data: listOf(item) }), { data: [example] })
