import type { RedactableResource } from '@chancery/contract'

/** Texts of one thing, and what stands there instead. */
export interface Replacement {
  resource: RedactableResource
  key: string
  /** By the name of the thing's own field. */
  texts: Record<string, unknown>
}

interface Mention {
  /** The member that points at a thing of this resource. */
  pointer: string
  /** Members beside the pointer that repeat the thing's fields. */
  beside: Record<string, string>
  /** Members beside the whole reference that do. */
  around: Record<string, string>
}

/** How the data of events repeats texts of the things that it names, whatever the kind of event. */
const mentions: Record<RedactableResource, Mention> = {
  nation: {
    pointer: 'nation_id',
    beside: { nation_name: 'nation_name' },
    around: { old_name: 'nation_name' },
  },
  alliance: {
    pointer: 'alliance_id',
    beside: { name: 'name', alliance_name: 'name', tag: 'tag' },
    around: { old_name: 'name', old_tag: 'tag' },
  },
  war: { pointer: 'war_id', beside: { reason: 'reason' }, around: {} },
  conflict: { pointer: 'conflict_id', beside: { name: 'name' }, around: { cause: 'cause' } },
  era: { pointer: 'era_id', beside: { name: 'name' }, around: {} },
  news_item: { pointer: 'news_id', beside: { title: 'title' }, around: {} },
}

/** Every member by which facts and events say these texts. */
export function membersOf({ resource, texts }: Replacement): Set<string> {
  const { beside, around } = mentions[resource]
  const repeating = [beside, around].flatMap(fields =>
    Object.entries(fields).flatMap(([member, field]) => (field in texts ? [member] : [])),
  )
  return new Set([...Object.keys(texts), ...repeating])
}

/**
 * The data of an event with the texts of one thing replaced; the same object where it holds none. `found` is told what stood
 * there, by the thing's field.
 */
export function replaceMentions<T>(
  data: T,
  replacement: Replacement,
  found: (field: string, text: string) => void,
): T {
  const { pointer, beside, around } = mentions[replacement.resource]
  const isReference = (value: unknown) => isObject(value) && value[pointer] === replacement.key

  function walk(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map(walk)
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    if (!isObject(value)) return value
    const fields = {
      ...(isReference(value) ? beside : {}),
      ...(Object.values(value).some(isReference) ? around : {}),
    }
    const entries = Object.entries(value).map(([member, held]): [string, unknown] => {
      const field = fields[member]
      return [member, isReplaced(field, held) ? replacement.texts[field] : walk(held)]
    })
    return entries.some(([member, held]) => held !== value[member]) ? Object.fromEntries(entries) : value
  }

  /** What is null told nothing. */
  function isReplaced(field: string | undefined, held: unknown): field is string {
    if (field === undefined || !(field in replacement.texts) || typeof held !== 'string') return false
    found(field, held)
    return true
  }

  return walk(data) as T
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
