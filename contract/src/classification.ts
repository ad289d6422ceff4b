import type { Static, TSchema } from 'typebox'
import type { Scope } from './scopes.ts'
import { annotate } from './shared-schemas.ts'

/**
 * Who may read a field. Every field of every resource has exactly one class.
 *
 * - `public`: everybody.
 * - `player_private`: the player whose nation it is now, through a key with the field's scope.
 * - `alliance_private`: members of the owning alliance who may see it in the game, through a key with the field's scope.
 *   What concerns a single nation is for that nation alone.
 * - `admin_only`: nobody through this API, under any scope.
 */
export const classes = ['public', 'player_private', 'alliance_private', 'admin_only'] as const
export type Class = (typeof classes)[number]

/** A schema that carries its class. A resource takes nothing else, so that a field without a class does not compile. */
export type Field<S extends TSchema = TSchema, C extends Class = Class, D extends boolean = boolean> = S & {
  description: string
  examples: [unknown]
  'x-class': C
  'x-scope'?: Scope
  /** Made by Chancery from other facts; the game never sends it. */
  'x-derived'?: D
  'x-deprecated'?: Deprecation
}

/** What a field says of itself to a stranger. `unit` where the number has one. */
export interface FieldMetadata {
  description: string
  example: unknown
  unit?: string
  /** The value of a thing whose game never sent this field. Without it: null. */
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

/** A field that everybody may read. */
export const publicField = <S extends TSchema>(schema: S, notes: FieldMetadata) =>
  classify(schema, 'public', notes)

/** A field for the player whose nation it is, through a key with `scope`. */
export const playerPrivate = <S extends TSchema>(scope: Scope, schema: S, notes: FieldMetadata) =>
  classify(schema, 'player_private', notes, scope)

/** A field for the members who may see it in the game, through a key with `scope`. */
export const alliancePrivate = <S extends TSchema>(scope: Scope, schema: S, notes: FieldMetadata) =>
  classify(schema, 'alliance_private', notes, scope)

/** A field that never leaves through this API. */
export const adminOnly = <S extends TSchema>(schema: S, notes: FieldMetadata) =>
  classify(schema, 'admin_only', notes)

/** Marks a field that Chancery makes from other facts. Facts cannot set it. */
export function derivedField<S extends TSchema, C extends Class>(field: Field<S, C, false>) {
  return annotate(field as TSchema, { 'x-derived': true }) as Field<S, C, true>
}

/** Says what the game sends for a field whose readers get more than that. */
export function withInputSchema<F extends Field, S extends TSchema>(field: F, supplied: S) {
  return annotate(field as TSchema, { 'x-input': supplied }) as F & { 'x-input': S }
}

export type Fields = Record<string, Field>

/**
 * A kind of thing: its name, what it is, and its fields.
 * `factFields` are what the game sends of it besides: classified too, and readable elsewhere.
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

/** What everybody may read of a thing. */
export type PublicOf<R extends Resource> = {
  [K in FieldNamesOf<R['fields'], 'public'>]: Static<R['fields'][K]>
}

/** What the most cleared reader may read of a thing: public fields, and any of the private ones. */
export type ReadableOf<R extends Resource> = PublicOf<R> & {
  [K in FieldNamesOf<R['fields'], 'player_private' | 'alliance_private'>]?: Static<R['fields'][K]>
}

type InputNames<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<TSchema, Class, false> ? K : never
}[keyof F]

/** What the game may send of a thing: any of its own fields. */
export type InputOf<R extends Resource> = {
  [K in InputNames<R['fields']>]?: InputValue<R['fields'][K]>
} & { [K in keyof R['factFields']]?: Static<R['factFields'][K]> }

type InputValue<F extends Field> = F extends { 'x-input': infer S extends TSchema } ? Static<S> : Static<F>

/** The names of a resource's fields that `allow` lets through. */
export function fieldNames(from: Resource, allow: (field: Field) => boolean): string[] {
  return Object.entries(from.fields)
    .filter(([, field]) => allow(field))
    .map(([fieldName]) => fieldName)
}

/** Says of an operation, a parameter or a field that it will go. Answers that hold it carry Deprecation and Sunset headers. */
export interface Deprecation {
  /** Since when it is deprecated: RFC 3339 in UTC. */
  since: string
  /** When it goes: RFC 3339 in UTC. */
  sunset: string
}

/** A description with what its readers have to know of a part that will go. */
export const withDeprecation = (description: string, deprecation: Deprecation | undefined): string =>
  deprecation
    ? `${description} Deprecated since ${day(deprecation.since)}; it goes on ${day(deprecation.sunset)}.`.trimStart()
    : description

const day = (time: string) => time.slice(0, 10)
