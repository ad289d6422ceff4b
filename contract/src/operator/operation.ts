import type { Static, TObject, TSchema } from 'typebox'
import { annotate, listOf, strictObject } from '../shared-schemas.ts'
import type { OperatorErrorCode } from './errors.ts'
import type { OperatorRole } from './roles.ts'

export type OperatorMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The chapters of the reference, in their order. */
export const operatorTags = {
  Facts: 'What the game says: the one way in for all data of the world.',
  Identity: 'Codes by which players prove who they are, and links that sign them in.',
  Keys: 'API keys of players.',
  Players: 'Players who may not use the API for a while.',
  Webhooks: 'Webhook endpoints of players.',
  Calls: 'What became of a call to the public API, and who calls most.',
  Tokens: 'Tokens of this listener, and what was done with them.',
  Service: 'How the service is.',
} as const
export type OperatorTag = keyof typeof operatorTags

/** A body, of one content type, and examples of it by name. */
export interface OperatorContent {
  schema: TSchema
  examples: Record<string, unknown>
}

/** What comes back with one status. */
export interface OperatorResponse {
  description: string
  content: Record<string, OperatorContent>
}

export interface OperatorHeader {
  description: string
  schema: TSchema
}

/**
 * Something that the game's own servers may ask of the operator listener.
 * Whatever is not a GET may change something, and is in the operator log.
 */
export interface OperatorOperation {
  id: string
  method: OperatorMethod
  path: string
  tag: OperatorTag
  /** Roles any one of which opens it. `admin` opens everything, and is not listed. */
  roles: readonly OperatorRole[]
  summary: string
  description: string
  /** What stands for the part of the path in braces. */
  pathParameter?: { name: string; description: string; example: string }
  query?: TObject
  headers?: Record<string, OperatorHeader>
  /** A JSON body of at most 8 MiB. `isOptional`: without one it counts as `{}`. */
  body?: { schema: TSchema; examples: Record<string, unknown>; isOptional?: boolean }
  /** A body of any length instead, by its content type. */
  stream?: Record<string, OperatorContent>
  /** By status. The lowest is what success answers. */
  responses: Readonly<Record<number, OperatorResponse>>
  /** Errors besides those that every operation may answer. */
  errors?: readonly OperatorErrorCode[]
}

/** What its body, its query and the JSON of its success parse to. */
export type BodyOf<O extends OperatorOperation> = O extends { body: { schema: infer S extends TSchema } }
  ? Static<S>
  : unknown
export type QueryOf<O extends OperatorOperation> = O extends { query: infer Q extends TObject }
  ? Static<Q>
  : Record<string, never>

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

/** An answer in JSON. */
export const jsonResponse = <S extends TSchema>(description: string, schema: S, example: unknown) => ({
  description,
  content: { 'application/json': { schema, examples: { Example: example } } },
})

/** A schema that the document names, and refers to wherever it stands. */
export const named = <S extends TSchema>(title: string, schema: S): S => annotate(schema, { title })

/** Many things: `{ "data": [ … ] }`. */
export const listResponse = <S extends TSchema>(description: string, item: S, example: unknown) =>
  jsonResponse(description, strictObject({ data: listOf(item) }), { data: [example] })
