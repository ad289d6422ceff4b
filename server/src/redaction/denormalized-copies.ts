import {
  type Contract,
  copiesIn,
  originOf,
  type RedactableResource,
  type TextCopy,
  type TextOrigin,
  type TextSchema,
} from '@chancery/contract'
import type { TSchema } from 'typebox'

/** New texts of one entity. */
export interface Replacement {
  resource: RedactableResource
  key: string
  /** By the field of the entity. */
  texts: Record<string, unknown>
}

/** Whether a text is a copy of a field of `resource`. */
export const isCopyFrom = (
  origin: TextOrigin | undefined,
  resource: RedactableResource,
): origin is TextCopy => typeof origin === 'object' && origin.resource === resource

/** Names of the members of facts and events that contain these texts. */
export function membersOf(
  { eventKinds, factSchemas }: Contract,
  { resource, texts }: Replacement,
): Set<string> {
  const schemas: TSchema[] = [
    ...Object.values(eventKinds).map(({ data }) => data),
    ...Object.values(factSchemas),
  ]
  const copies = schemas
    .flatMap(copiesIn)
    .filter(({ origin }) => isCopyFrom(origin, resource) && origin.field in texts)
  return new Set([...Object.keys(texts), ...copies.flatMap(({ path }) => path.at(-1) ?? [])])
}

/**
 * The data of an event with the copies of an entity's texts replaced; the same object if it has none. Calls `found` with each replaced
 * text and its field.
 */
export function replaceCopies<T>(
  schema: TextSchema,
  data: T,
  { resource, key, texts }: Replacement,
  found: (field: string, text: string) => void,
): T {
  return replaceTexts(schema, data, (text, origin, holder) => {
    if (!isCopyFrom(origin, resource) || !(origin.field in texts)) return text
    if (valueAt(holder, origin.id) !== key) return text
    found(origin.field, text)
    return texts[origin.field]
  })
}

/** The same with `replace` called on each text that people wrote, and on each text without a stated origin. */
export const replaceWritten = <T>(
  schema: TextSchema | undefined,
  data: T,
  replace: (text: string) => string,
): T =>
  replaceTexts(schema, data, (text, origin, _holder, textSchema) =>
    origin === 'written' || textSchema === undefined ? replace(text) : text,
  )

type ReplaceText = (
  text: string,
  origin: TextOrigin | undefined,
  holder: unknown,
  schema: TextSchema | undefined,
) => unknown

function replaceTexts<T>(schema: TextSchema | undefined, data: T, replace: ReplaceText): T {
  const walk = (inner: TextSchema | undefined, value: unknown, holder: unknown): unknown => {
    if (typeof value === 'string') return replace(value, originOf(inner), holder, inner)
    if (Array.isArray(value)) {
      const items = value.map(item => walk(inner?.items, item, holder))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value)
    const entries = members.map(([member, held]) => [member, walk(inner?.properties?.[member], held, value)])
    return entries.some(([, held], index) => held !== members[index]?.[1])
      ? Object.fromEntries(entries)
      : value
  }
  return walk(schema, data, data) as T
}

const valueAt = (holder: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, member) => (value as Record<string, unknown> | undefined)?.[member], holder)

/** By event kind: the JSON paths (of PostgreSQL) of the ids whose texts of this resource the data copies. */
export function idPathsByKind({ eventKinds }: Contract, resource: RedactableResource): Map<string, string[]> {
  const paths = Object.entries(eventKinds).map(([type, { data }]): [string, string[]] => {
    const ofKind = copiesIn(data).flatMap(({ path, origin }) =>
      isCopyFrom(origin, resource) ? [jsonPath([...path.slice(0, -1), ...origin.id.split('.')])] : [],
    )
    return [type, [...new Set(ofKind)]]
  })
  return new Map(paths.filter(([, ofKind]) => ofKind.length > 0))
}

const jsonPath = (path: string[]): string =>
  path.reduce((text, member) => (member === '[]' ? `${text}[*]` : `${text}."${member}"`), '$')
