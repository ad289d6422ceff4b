import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Field, Resource } from './classification.ts'
import type { EventKind } from './events/kind.ts'
import { limits } from './limits.ts'
import {
  annotate,
  id,
  line,
  listOf,
  nullable,
  patternString,
  strictObject,
  time,
  withLineRule,
} from './shared-schemas.ts'

/** The longest line, in bytes, that the ingest endpoint reads. */
export const factBytesMax = 1_048_576

export const factOps = ['put', 'delete', 'event', 'snapshot', 'redact', 'erase', 'reset', 'commit'] as const
export type FactOp = (typeof factOps)[number]

const batchPattern = '^[A-Za-z0-9._:-]{1,128}$'
const batchRule = 'must be an id of 1 to 128 letters (A to Z), digits, ., _, : and -'

/** The idempotency key of a batch: an applied batch is not applied again, as long as its id is kept. */
export const batchId = () =>
  patternString(batchPattern, batchRule, { description: 'Identifier of the batch, chosen by the game.' })

/**
 * A feed is a sequence of batches that build on each other. Each batch names its predecessor, and is rejected if that is not the
 * last applied one: of two senders with the same feed name, one is rejected as overtaken.
 */
export const feedPosition = () =>
  strictObject(
    {
      name: patternString(
        '^[A-Za-z0-9._-]{1,64}$',
        'must be a name of 1 to 64 letters (A to Z), digits, ., _ and -',
        { description: 'Name of the feed.' },
      ),
      after: nullable(
        patternString(batchPattern, batchRule, {
          description: 'The batch of this feed that was applied last; null if there is none.',
        }),
      ),
    },
    { description: 'The position of the batch in a feed, for senders whose batches build on each other.' },
  )

/** What happens with the rejected facts of a batch. */
export const refusedFacts = () =>
  Type.Literal('set_aside', {
    description: `set_aside applies the batch without its rejected facts, and without those that refer to them: these are stored one by one, and applied as soon as they fit. At most ${limits.setAsidePerBatch} facts and ${limits.deadLetterBytesMax / 1_048_576} MiB, each a put, a delete or an event; otherwise, and in a batch with a redact, an erase or a reset, the whole batch is rejected. By default it always is.`,
  })

export const commitFact = strictObject(
  {
    op: Type.Literal('commit'),
    batch: batchId(),
    feed: Type.Optional(feedPosition()),
    refused: Type.Optional(refusedFacts()),
    announce: Type.Optional(
      Type.Boolean({
        description:
          'false records history: its events are added to the log but not sent to open streams and webhooks. Default true.',
      }),
    ),
  },
  { description: 'Closes a batch: all facts since the last commit are applied, or none.' },
)

/** The fields of a resource that facts can set, with their names. */
export const inputFields = (resource: Resource): [name: string, field: Field][] =>
  Object.entries({ ...resource.fields, ...resource.factFields }).filter(([, field]) => !field['x-derived'])

/** The data of a `put`. Only the primary key is required; objects merge, so their members are optional too. */
export function inputSchema(resource: Resource, key: string): TObject {
  return Type.Object(
    Object.fromEntries(
      inputFields(resource).map(([fieldName, field]) => {
        const schema = (
          'x-input' in field
            ? annotate(field['x-input'] as TSchema, {
                description: field.description,
                'x-class': field['x-class'],
              })
            : field
        ) as TSchema
        const lined = withLineRule(schema)
        return [fieldName, fieldName === key ? lined : Type.Optional(withoutRequired(lined))]
      }),
    ),
    { additionalProperties: false, description: resource.description },
  )
}

/** The fields that a new row requires: those that have no default and cannot be null. */
export function requiredOnCreation(resource: Resource): string[] {
  return inputFields(resource)
    .filter(([, field]) => !('default' in field) && !isNullable(field))
    .map(([fieldName]) => fieldName)
}

/** The required members of a new row's required objects, such as `attacker.nation_id`, by the name of the object. */
export function requiredMembers(resource: Resource): Record<string, string[]> {
  return Object.fromEntries(
    requiredOnCreation(resource).map(fieldName => {
      const field = { ...resource.fields, ...resource.factFields }[fieldName] as
        | { 'x-input'?: ObjectSchema; required?: string[] }
        | undefined
      return [fieldName, (field?.['x-input'] ?? (field as ObjectSchema | undefined))?.required ?? []]
    }),
  )
}

/** A new row before its first fact: defaults, and null for fields that the game has not sent. */
export function defaultsOf(resource: Resource): Record<string, unknown> {
  return Object.fromEntries(
    inputFields(resource).map(([fieldName, field]) => [
      fieldName,
      (field as { default?: unknown }).default ?? null,
    ]),
  )
}

export const isNullable = (schema: TSchema) => Array.isArray((schema as { type?: unknown }).type)

interface ObjectSchema {
  properties?: Record<string, TSchema>
  required?: string[]
}

/** Members of an object are optional because objects merge. Arrays are replaced, so their items stay complete. */
function withoutRequired(schema: TSchema): TSchema {
  const { properties } = schema as ObjectSchema
  if (!properties) return schema
  return annotate(schema, {
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, member]) => [key, withoutRequired(member)]),
    ),
    required: [],
  })
}

/** Merges the data of a fact into stored data: objects member by member, arrays as a whole, null as a value. */
export function merge(stored: unknown, sent: unknown): unknown {
  if (!isPlainObject(sent) || !isPlainObject(stored)) return sent
  const merged: Record<string, unknown> = { ...stored }
  for (const [key, value] of Object.entries(sent)) merged[key] = merge(merged[key], value)
  return merged
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds the required members that are missing from an object: null, an empty list or an empty object. */
export function fillNulls(schema: TSchema, value: unknown): unknown {
  const { properties, required = [] } = schema as ObjectSchema
  if (!properties || !isPlainObject(value)) return value
  const completed: Record<string, unknown> = { ...value }
  for (const member of required) {
    const memberSchema = properties[member]
    if (memberSchema === undefined) continue
    completed[member] =
      member in completed ? fillNulls(memberSchema, completed[member]) : emptyValue(memberSchema)
  }
  return completed
}

function emptyValue(schema: TSchema): unknown {
  const { type } = schema as { type?: unknown }
  if (isNullable(schema)) return null
  if (type === 'array') return []
  if (type === 'object') return fillNulls(schema, {})
  return null
}

export const occurredAt = () =>
  Type.Optional(time({ description: 'When it happened in the game. Default: when it is logged.' }))

/** A `put` of one resource: `{ "op": "put", "resource": "nation", "data": { … } }`. */
export const putFact = (resourceName: string, data: TObject) =>
  strictObject(
    { op: Type.Literal('put'), resource: Type.Literal(resourceName), data, at: occurredAt() },
    { description: `Creates or updates one ${resourceName}.` },
  )

/** A `delete` of one resource: `{ "op": "delete", "resource": "nation", "id": "…" }`. */
export const deleteFact = (resourceNames: string[]) =>
  strictObject(
    {
      op: Type.Literal('delete'),
      resource: Type.Unsafe<string>({ type: 'string', enum: resourceNames }),
      id: id({ description: 'The primary key of the row.' }),
      at: occurredAt(),
    },
    { description: 'Deletes a row. Its events stay in the log.' },
  )

/** An `event` of one kind, for occurrences that change no state. */
export const eventFact = (type: string, { data, description }: EventKind) =>
  strictObject({ op: Type.Literal('event'), data: gameEventSchema(type, data) }, { description })

const gameEventSchema = (type: string, data: TSchema) =>
  Type.Object(
    {
      type: Type.Literal(type),
      occurred_at: time({ description: 'When it happened in the game.' }),
      data: withLineRule(inputMembers(data)),
      ...(type.startsWith('game.')
        ? {
            summary: Type.Optional(withLineRule(line(1000, { description: 'One sentence for humans.' }))),
            nation_ids: Type.Optional(listOf(id(), { maxItems: 100, description: 'Nations it is about.' })),
            alliance_ids: Type.Optional(
              listOf(id(), { maxItems: 100, description: 'Alliances it is about.' }),
            ),
            war_id: Type.Optional(nullable(id({ description: 'The war it is about.' }))),
            conflict_id: Type.Optional(nullable(id({ description: 'The global conflict it is about.' }))),
          }
        : {}),
    },
    { additionalProperties: false },
  )

/** Nullable members may be omitted; derived members are not sent. */
function inputMembers(schema: TSchema): TSchema {
  const { properties: all = {}, required = [] } = schema as ObjectSchema
  const properties = Object.fromEntries(Object.entries(all).filter(([, member]) => !('x-derived' in member)))
  return annotate(schema, {
    properties,
    required: required.filter(member => properties[member] !== undefined && !isNullable(properties[member])),
  })
}

export type CommitFact = Static<typeof commitFact>
export type FeedPosition = NonNullable<CommitFact['feed']>
