import {
  commonParts,
  type Direction,
  type Document,
  nameOf,
  resolve,
  type Schema,
  withAllParts,
} from './document.ts'

/** Returns the changes of a schema that break callers who send (request) or receive (response) its values. */
export type CompareSchemas = (before: Schema, after: Schema, place: string) => string[]

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
const upperBounds = [
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'x-decimals',
] as const

/**
 * Compares schemas of two documents, in one direction. A request must accept all former values, a response must
 * not contain new kinds of values. Two references of the same name are equal here: each component is compared once, under its own name.
 */
export function createSchemaComparison(
  documents: { before: Document; after: Document },
  direction: Direction,
): CompareSchemas {
  const isRequest = direction === 'request'
  /** Pairs of references that are being compared: schemas may be recursive. */
  const open = new Set<string>()
  return compare

  function compare(before: Schema, after: Schema, place: string): string[] {
    if (before.$ref === undefined && after.$ref === undefined) return compareInline(before, after, place)
    const pair = `${before.$ref} ${after.$ref}`
    if (before.$ref === after.$ref || open.has(pair)) return []
    open.add(pair)
    const known = resolve(before, documents.before.components.schemas)
    const now = resolve(after, documents.after.components.schemas)
    const changes = compareInline(known, now, place)
    open.delete(pair)
    return changes
  }

  function compareInline(shown: Schema, later: Schema, place: string): string[] {
    // They are compared under their own names.
    const shared = commonParts(shown, later)
    const before = withAllParts(shown, documents.before, shared)
    const after = withAllParts(later, documents.after, shared)
    const known = before.anyOf ?? before.oneOf
    const now = after.anyOf ?? after.oneOf
    if (!known && !now) return compareKeywords(before, after, place)
    const whole = !isRequest && !known && before.properties && now && asOneObject(now)
    if (whole) return compareKeywords(before, whole, place)
    return [
      ...variantChanges(known ?? [before], now ?? [after], place),
      // Without a type of its own it has those of its variants.
      ...(known && now ? compareKeywords(before, { ...after, type: after.type ?? before.type }, place) : []),
    ]
  }

  function compareKeywords(before: Schema, after: Schema, place: string): string[] {
    return [
      ...typeChanges(before, after),
      ...valueChanges(before, after),
      ...boundChanges(before, after),
      ...formChanges(before, after),
    ]
      .map(change => `${place} ${change}`)
      .concat(memberChanges(before, after, place), partChanges(before, after, place))
  }

  /** Values that one side allows and the other must allow too, but does not. */
  function missing<T>(before: T[], after: T[], isIn: (value: T, list: T[]) => boolean): T[] {
    return isRequest
      ? before.filter(value => !isIn(value, after))
      : after.filter(value => !isIn(value, before))
  }

  function typeChanges(before: Schema, after: Schema): string[] {
    const [known, now] = [typesOf(before), typesOf(after)]
    const types = missing(
      known,
      now,
      (type, list) =>
        list.includes('any') || list.includes(type) || (type === 'integer' && list.includes('number')),
    )
    return types.length === 0 ? [] : [`${isRequest ? 'does not accept' : 'may be'} ${types.join(' or ')}`]
  }

  /** Null is a type here. Values may be added to the listed ones of a response: readers must expect unknown values. */
  function valueChanges(before: Schema, after: Schema): string[] {
    const [known, now] = [valuesOf(before), valuesOf(after)]
    if (isRequest) {
      const isClosed = !known && now
      const isClosedToWords = after['x-known-words-only'] && !before['x-known-words-only']
      const lost = known && now ? missing(known, now, (value, list) => list.includes(value)) : []
      return [
        ...(isClosed || isClosedToWords ? ['accepts listed values only'] : []),
        ...(lost.length > 0 ? [`does not accept ${lost.join(', ')}`] : []),
        ...(before.default !== undefined && asText(before.default) !== asText(after.default)
          ? [`has the default ${asText(after.default)}, not ${asText(before.default)}`]
          : []),
      ]
    }
    if (before.const === undefined || (now?.length === 1 && now[0] === known?.[0])) return []
    return [`may be other than ${asText(before.const)}`]
  }

  function boundChanges(before: Schema, after: Schema): string[] {
    if (!isRequest && after.const !== undefined) return []
    const isLarger = (key: keyof Bounds, none: number) => (after[key] ?? none) > (before[key] ?? none)
    const isSmaller = (key: keyof Bounds, none: number) => (after[key] ?? none) < (before[key] ?? none)
    // A count is at least 0, also without a minimum.
    const least = (key: keyof Bounds) => (/^min[A-Z]/.test(key) ? 0 : -Infinity)
    // The range of a decimal in a response may grow: readers have a floating-point number for it. Integers keep theirs.
    const isTolerated = (key: string) =>
      !isRequest && typesOf(before).includes('number') && /^(m|exclusiveM)(in|ax)imum$/.test(key)
    return [
      ...lowerBounds
        .filter(key => !isTolerated(key))
        .filter(key => (isRequest ? isLarger : isSmaller)(key, least(key)))
        .map(key => `has a ${isRequest ? 'larger' : 'smaller'} ${key}`),
      ...upperBounds
        .filter(key => !isTolerated(key))
        .filter(key => (isRequest ? isSmaller : isLarger)(key, Infinity))
        .map(key => `has a ${isRequest ? 'smaller' : 'larger'} ${key}`),
    ]
  }

  /** Patterns are not compared with each other: a response may have another pattern, but not none. */
  function formChanges(before: Schema, after: Schema): string[] {
    const [required, given] = isRequest ? [after, before] : [before, after]
    const isPatternLost = isRequest
      ? after.pattern !== undefined && after.pattern !== before.pattern
      : before.pattern !== undefined && after.pattern === undefined
    return [
      ...(isPatternLost ? ['has another pattern'] : []),
      ...(required.format !== undefined && required.format !== given.format ? ['has another format'] : []),
      ...(required.uniqueItems && !given.uniqueItems
        ? [isRequest ? 'must be unique' : 'may have equal items']
        : []),
      ...(before.discriminator && before.discriminator.propertyName !== after.discriminator?.propertyName
        ? ['has another discriminator']
        : []),
      ...(before.contentMediaType === after.contentMediaType ? [] : ['has another media type']),
      ...(!isRequest && after['x-scope'] !== undefined && after['x-scope'] !== before['x-scope']
        ? [`requires the scope ${after['x-scope']}`]
        : []),
    ]
  }

  function memberChanges(before: Schema, after: Schema, place: string): string[] {
    const wasRequired = new Set(before.required)
    const isRequired = new Set(after.required)
    const known = Object.entries(before.properties ?? {})
    return [
      ...(isRequest
        ? [...isRequired.difference(wasRequired)].map(name => `${place}.${name} is required`)
        : [...wasRequired.difference(isRequired)]
            .filter(name => after.properties?.[name] || !before.properties?.[name])
            .map(name => `${place}.${name} may be missing`)),
      ...known.flatMap(([name, schema]) => {
        const now = after.properties?.[name]
        return now ? compare(schema, now, `${place}.${name}`) : [`${place}.${name} is removed`]
      }),
      ...(isRequest && after.additionalProperties === false && before.additionalProperties !== false
        ? [`${place} does not accept further members`]
        : []),
    ]
  }

  /** Schemas within a schema: items, further members, the content of a text. */
  function partChanges(before: Schema, after: Schema, place: string): string[] {
    const parts = (['items', 'additionalProperties', 'contentSchema'] as const).map(key => {
      const [known, now] = [before[key], after[key]]
      if (typeof known === 'boolean' || typeof now === 'boolean') return []
      const suffix = { items: '[]', additionalProperties: '.*', contentSchema: '' }[key]
      return known || now ? compare(known ?? {}, now ?? {}, place + suffix) : []
    })
    return parts.flat()
  }

  /**
   * An object may be split into variants: they are compared as one object, whose members have the values of all variants.
   * Undefined if a variant is no object.
   */
  function asOneObject(variants: Schema[]): Schema | undefined {
    const objects = variants.map(each =>
      withAllParts(resolve(each, documents.after.components.schemas), documents.after),
    )
    if (!objects.every(({ type, properties }) => type === 'object' && properties)) return undefined
    const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))
    const valuesOfMember = (name: string) => [
      ...new Map(
        objects.flatMap(({ properties = {} }) => {
          const member = properties[name]
          return member ? [[asText(member), member] as const] : []
        }),
      ).values(),
    ]
    return {
      type: 'object',
      properties: Object.fromEntries(
        [...names].map(name => {
          const [first = {}, ...others] = valuesOfMember(name)
          return [name, others.length === 0 ? first : { oneOf: [first, ...others] }]
        }),
      ),
      required: [...names].filter(name => objects.every(({ required = [] }) => required.includes(name))),
    }
  }

  /** A named variant may be added to a response, as kinds of events are. None may be removed, whichever way it is sent. */
  function variantChanges(before: Schema[], after: Schema[], place: string): string[] {
    const isIn = ({ $ref }: Schema, list: Schema[]) =>
      $ref !== undefined && list.some(each => each.$ref === $ref)
    const fits = (known: Schema, now: Schema) => compare(known, now, place).length === 0
    const isNull = ({ type }: Schema) => type === 'null'
    const lost = before.filter(known => !isIn(known, after) && !after.some(now => fits(known, now)))
    const added = after.filter(now => now.$ref === undefined && !before.some(known => fits(known, now)))
    const [lostNamed, lostShapes] = [
      lost.filter(known => known.$ref !== undefined),
      lost.filter(known => known.$ref === undefined && (isRequest || !isNull(known))),
    ]
    const named = lostNamed.map(({ $ref = '' }) => `${place} is no longer ${nameOf($ref)}`)
    if (lostShapes.length > added.length) return [...named, `${place} has one variant less`]
    const changed = lostShapes.flatMap((known, index) => compare(known, added[index] ?? {}, place))
    const shapes = isRequest ? [] : added.slice(lostShapes.length)
    return [...named, ...changed, ...shapes.map(shape => `${place} may be ${typesOf(shape).join(' or ')}`)]
  }
}

type Bounds = Pick<Schema, (typeof lowerBounds)[number] | (typeof upperBounds)[number]>

const typesOf = ({ type }: Schema): string[] => (type === undefined ? ['any'] : [type].flat())

/** The values that are listed, as JSON and without null; undefined if any value is allowed. */
function valuesOf(schema: Schema): string[] | undefined {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  return values?.filter(value => value !== null).map(asText)
}

const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined'
