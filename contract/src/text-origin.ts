import type { TSchema } from 'typebox'
import { annotate, idPattern, text } from './shared-schemas.ts'

/** A copy of a field that can be redacted. */
export interface TextCopy {
  resource: RedactableResource
  field: string
  /** The path of members to the id of the resource, from the object that contains the copy. */
  id: string
}

/**
 * Where a text comes from. A redaction replaces copies of the field that it replaces. In `written` texts, which people wrote, it
 * replaces previous texts wherever they occur. It does not change `own` texts, which no person wrote, such as keys of the game profile.
 */
export type TextOrigin = TextCopy | 'written' | 'own'

const keyword = 'x-text'

/** States that a text is a copy: `copyOf('nation.nation_name', 'nation_id', name(100))`. */
export function copyOf<S extends TSchema>(field: RedactableField, id: string, schema: S): S {
  const [resource, fieldName] = field.split('.') as [RedactableResource, string]
  return annotate(schema, { [keyword]: { resource, field: fieldName, id } satisfies TextCopy })
}

export const writtenText = <S extends TSchema>(schema: S): S => annotate(schema, { [keyword]: 'written' })
/** The same for a value that may be no text, or a list of texts. */
export function writtenTexts(schema: TSchema): TSchema {
  const { items } = schema as TextSchema
  if (items) return annotate(schema, { items: writtenTexts(items) })
  return isFreeText(schema) ? writtenText(schema) : schema
}

export const systemText = <S extends TSchema>(schema: S): S => annotate(schema, { [keyword]: 'own' })

/** A key of the game profile, as stored in the log. */
export const profileKey = (description: string) => systemText(text(64, { description }))

export const originOf = (schema: TSchema | undefined): TextOrigin | undefined =>
  (schema as { [keyword]?: TextOrigin } | undefined)?.[keyword]

/** The keywords of a schema that determine whether it is a text. */
export interface TextSchema extends TSchema {
  type?: string | string[]
  enum?: unknown[]
  pattern?: string
  format?: string
  properties?: Record<string, TextSchema>
  items?: TextSchema
}

/** A member without inner members. `path`: the names of the members, `[]` for the items of a list. */
interface Leaf {
  path: string[]
  schema: TextSchema
  /** The object that contains it. */
  holder: TextSchema | undefined
}

function leavesOf(schema: TextSchema, path: string[] = [], holder?: TextSchema): Leaf[] {
  const { properties, items } = schema
  if (properties)
    return Object.entries(properties).flatMap(([member, inner]) => leavesOf(inner, [...path, member], schema))
  return items ? leavesOf(items, [...path, '[]'], holder) : [{ path, schema, holder }]
}

/** Every text of a schema that is a copy. */
export const copiesIn = (shape: TSchema): { path: string[]; origin: TextCopy }[] =>
  leavesOf(shape).flatMap(({ path, schema }) => {
    const origin = originOf(schema)
    return typeof origin === 'object' ? [{ path, origin }] : []
  })

/**
 * The origin of every free text of a schema; ids, times and enums are not free text. Throws if a text does not state its origin.
 */
export function originsIn(shape: TSchema): TextOrigin[] {
  return leavesOf(shape).flatMap(({ path, schema, holder }) => {
    if (!isFreeText(schema)) return []
    const origin = originOf(schema)
    const place = path.join('.') || 'the schema itself'
    if (origin === undefined)
      throw new Error(
        `${place} does not state the origin of its text: use copyOf, writtenText or systemText, or list a field of a resource in redactableFields`,
      )
    if (typeof origin === 'object' && !isId(memberAt(holder, origin.id)))
      throw new Error(`${place} is a copy from the resource in ${origin.id}, which is not an id`)
    return [origin]
  })
}

/** Ids, times and enums are not free text. What has no type may be one. */
export function isFreeText(schema: TextSchema): boolean {
  const types = [schema.type].flat()
  if (types.every(type => type !== undefined && simpleTypes.has(type))) return false
  return !(types.includes('string') && (schema.enum || schema.format || isId(schema)))
}

const simpleTypes = new Set(['null', 'boolean', 'integer', 'number'])
const isId = (schema: TextSchema | undefined): boolean => schema?.pattern === idPattern

const memberAt = (holder: TextSchema | undefined, path: string): TextSchema | undefined =>
  path.split('.').reduce<TextSchema | undefined>((schema, member) => schema?.properties?.[member], holder)

/** The texts that a redaction may replace, by resource: those that people wrote. */
export const redactableFields = {
  nation: ['nation_name', 'leader_name', 'motto', 'flag_url', 'attributes'],
  alliance: ['name', 'tag', 'description', 'flag_url', 'attributes'],
  war: ['reason'],
  conflict: ['name', 'cause'],
  era: ['name', 'summary'],
  news_item: ['title', 'body', 'author'],
} as const
export type RedactableResource = keyof typeof redactableFields
export const redactableResources = Object.keys(redactableFields) as RedactableResource[]

/** A field that can be redacted, as in `nation.nation_name`. */
export type RedactableField = {
  [R in RedactableResource]: `${R}.${(typeof redactableFields)[R][number]}`
}[RedactableResource]
