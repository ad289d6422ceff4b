import type { Static, TSchema } from 'typebox'
import type { Scope } from './scopes.ts'
import { annotate } from './shared-schemas.ts'

/**
 * Who may read a field. Every field of every resource has exactly one class.
 *
 * - `public`: all callers.
 * - `player_private`: the player who leads the nation at present, with a key that has the field's scope.
 * - `alliance_private`: members of the owning alliance who may see it in the game, with a key that has the field's scope.
 *   A field about a single nation is for that nation alone.
 * - `admin_only`: never returned by this API.
 */
export const classes = ['public', 'player_private', 'alliance_private', 'admin_only'] as const
export type Class = (typeof classes)[number]

/** A schema with its class. Resources accept nothing else, so a field without a class does not compile. */
export type Field<S extends TSchema = TSchema, C extends Class = Class, D extends boolean = boolean> = S & {
  description: string
  examples: [unknown]
  'x-class': C
  'x-scope'?: Scope
  /** Computed by Chancery from other facts; the game never sends it. */
  'x-derived'?: D
  'x-deprecated'?: Deprecation
}

/** The documentation of a field. */
export interface FieldMetadata {
  description: string
  example: unknown
  unit?: string
  /** The value before the game has sent this field. Without it: null. */
  default?: unknown
  deprecated?: Deprecation
}

function classify<S extends TSchema, C extends Class>(
  schema: S,
  fieldClass: C,
  notes: FieldMetadata,
  scope?: Scope,
) {
  const { example, unit, deprecated, ...rest } = notes
  return annotate(schema, {
    ...rest,
    examples: [example],
    ...(unit ? { 'x-unit': unit } : {}),
    ...(deprecated ? { deprecated: true, 'x-deprecated': deprecated } : {}),
    'x-class': fieldClass,
    ...(scope ? { 'x-scope': scope } : {}),
  }) as Field<S, C, false>
}

/** A field that all callers may read. */
export const publicField = <S extends TSchema>(schema: S, notes: FieldMetadata) =>
  classify(schema, 'public', notes)

/** A field for the player who leads the nation, with a key that has `scope`. */
export const playerPrivate = <S extends TSchema>(scope: Scope, schema: S, notes: FieldMetadata) =>
  classify(schema, 'player_private', notes, scope)

/** A field for alliance members who may see it in the game, with a key that has `scope`. */
export const alliancePrivate = <S extends TSchema>(scope: Scope, schema: S, notes: FieldMetadata) =>
  classify(schema, 'alliance_private', notes, scope)

/** A field that this API never returns. */
export const adminOnly = <S extends TSchema>(schema: S, notes: FieldMetadata) =>
  classify(schema, 'admin_only', notes)

/** Marks a field that Chancery computes from other facts. Facts cannot set it. */
export function derivedField<S extends TSchema, C extends Class>(field: Field<S, C, false>) {
  return annotate(field as TSchema, { 'x-derived': true }) as Field<S, C, true>
}

/** Sets the schema of what the game sends, for a field that is returned with more members. */
export function withInputSchema<F extends Field, S extends TSchema>(field: F, supplied: S) {
  return annotate(field as TSchema, { 'x-input': supplied }) as F & { 'x-input': S }
}

export type Fields = Record<string, Field>

/**
 * A resource: its name, description and fields.
 * `factFields` are sent by the game in addition; they are classified too, and returned in other resources.
 */
export interface Resource<F extends Fields = Fields, G extends Fields = Fields> {
  name: string
  description: string
  fields: F
  factFields: G
}

// biome-ignore lint/complexity/noBannedTypes: {} is the empty set of fields.
export function resource<F extends Fields, G extends Fields = {}>(
  resourceName: string,
  description: string,
  fields: F,
  factFields: G = {} as G,
): Resource<F, G> {
  return { name: resourceName, description, fields, factFields }
}

type FieldNamesOf<F extends Fields, C extends Class> = {
  [K in keyof F]: F[K]['x-class'] extends C ? K : never
}[keyof F]

/** The fields of a resource that all callers may read. */
export type PublicOf<R extends Resource> = {
  [K in FieldNamesOf<R['fields'], 'public'>]: Static<R['fields'][K]>
}

/** The fields that the viewer with the highest clearance may read: all but those that are admin-only. */
export type ReadableOf<R extends Resource> = PublicOf<R> & {
  [K in FieldNamesOf<R['fields'], 'player_private' | 'alliance_private'>]?: Static<R['fields'][K]>
}

type InputNames<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<TSchema, Class, false> ? K : never
}[keyof F]

/** The fields that the game may send. */
export type InputOf<R extends Resource> = {
  [K in InputNames<R['fields']>]?: InputValue<R['fields'][K]>
} & { [K in keyof R['factFields']]?: Static<R['factFields'][K]> }

type InputValue<F extends Field> = F extends { 'x-input': infer S extends TSchema } ? Static<S> : Static<F>

/** The names of a resource's fields for which `allow` returns true. */
export function fieldNames(from: Resource, allow: (field: Field) => boolean): string[] {
  return Object.entries(from.fields)
    .filter(([, field]) => allow(field))
    .map(([fieldName]) => fieldName)
}

/** The deprecation of an operation, parameter or field. Responses that contain it have Deprecation and Sunset headers. */
export interface Deprecation {
  /** RFC 3339 in UTC. */
  since: string
  /** When it is removed: RFC 3339 in UTC. */
  sunset: string
}

/** Appends a deprecation to a description. */
export const withDeprecation = (description: string, deprecation: Deprecation | undefined): string =>
  deprecation
    ? `${description} Deprecated since ${day(deprecation.since)}; it will be removed on ${day(deprecation.sunset)}.`.trimStart()
    : description

const day = (time: string) => time.slice(0, 10)
