import { type Contract, comesBackExactly, type FactResource } from '@chancery/contract'

/** The part of a contract's schema that decides how a value is coerced. */
export interface ValueSchema {
  type?: string | string[]
  format?: string
  properties?: Record<string, ValueSchema>
  items?: ValueSchema
}

/**
 * Coerces a value of the game's database to the form of the contract: a whole number to a text id, a time to UTC with Z.
 * A value that does not fit is left for the service to reject. Undefined for null where the field is not nullable.
 */
export function coerceValue(schema: ValueSchema | undefined, value: unknown): unknown {
  if (value === null || value === undefined) return isNullable(schema) ? null : undefined
  if (Array.isArray(value)) return value.map(item => coerceValue(schema?.items, item) ?? null)
  if (typeof value === 'object') return coerceMembers(schema, value)
  if (isText(schema)) {
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && schema?.format === 'date-time') return utcTime(value)
  }
  return typeof value === 'bigint' ? String(value) : value
}

function coerceMembers(schema: ValueSchema | undefined, value: object): object {
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const coerced = coerceValue(schema?.properties?.[name], member)
    if (coerced !== undefined) members[name] = coerced
  }
  return members
}

const typesOf = (schema: ValueSchema | undefined): string[] => [schema?.type ?? []].flat()

export const isNullable = (schema: ValueSchema | undefined): boolean =>
  schema === undefined || typesOf(schema).includes('null')

const isText = (schema: ValueSchema | undefined) => typesOf(schema).includes('string')

/**
 * A value of a column whose type does not say what it is: 0 and 1 for a boolean, seconds or milliseconds since 1970 for a time
 * (0 is never), a text for JSON. A value that does not fit is left for the service to reject.
 */
export function typedValue(schema: ValueSchema, value: unknown): unknown {
  const types = typesOf(schema)
  if (typeof value === 'number') {
    if (types.includes('boolean')) return value === 0 ? false : value === 1 ? true : value
    if (schema.format === 'date-time') return timeOf(value)
  }
  if (typeof value === 'string' && (types.includes('object') || types.includes('array'))) return jsonOf(value)
  return value
}

/** Later seconds are milliseconds: 1e11 seconds are the year 5138. */
const secondsMax = 1e11

function timeOf(value: number): string | number | null {
  if (value === 0) return null
  const time = new Date(value < secondsMax ? value * 1000 : value)
  return Number.isNaN(time.getTime()) ? value : time.toISOString().replace('.000Z', 'Z')
}

function jsonOf(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return text
  }
}

/** Parses JSON without loss: whole numbers beyond the safe integers become a BigInt, and decimals with digits that would be lost a text. */
export function parseExactly(json: string): unknown {
  // A reviver is slow, and a number of this length is rare.
  if (!/[\d.]{16}/.test(json)) return JSON.parse(json)
  return JSON.parse(json, (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number') return value
    const source = context?.source ?? ''
    if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) ? value : BigInt(source)
    return comesBackExactly(source) ? value : source
  })
}

const writtenTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,6})?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?$/

/** `2026-05-20 12:00:00.5+02` as `2026-05-20T10:00:00.5Z`. Without a zone it is UTC; a day is its midnight; other text is left as it is. */
function utcTime(written: string): string {
  const parts = writtenTime.exec(written)
  if (!parts) return written
  const [, day, minute = '00:00', second = ':00', fraction = '', zone = 'Z'] = parts
  const local = `${day}T${minute}${second}`
  if (/^(Z|[+-]00(:?00)?)$/.test(zone)) return `${local}${fraction}Z`
  const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/^(.\d\d)(\d\d)$/, '$1:$2')
  const ms = Date.parse(`${local}${offset}`)
  return Number.isNaN(ms) ? written : new Date(ms).toISOString().replace('.000Z', `${fraction}Z`)
}

/** Coerces a fact of the outbox. Unknown members are left for the service to reject. */
export function coerceFact(contract: Contract, fact: string): string {
  try {
    return coerceParsed(contract, fact)
  } catch (err) {
    // Nested so deep that the stack is exhausted.
    if (err instanceof RangeError) return fact
    throw err
  }
}

function coerceParsed({ factSchemas, eventKinds }: Contract, fact: string): string {
  const { data, ...rest } = parseExactly(fact) as Record<string, unknown>
  const schema =
    rest.op === 'event'
      ? eventSchema(eventKinds[String((data as { type?: unknown } | null)?.type)]?.data as ValueSchema)
      : (factSchemas[rest.resource as FactResource] as ValueSchema | undefined)
  const envelope = coerceValue(envelopeSchema(factSchemas.era), rest) as object
  if (data === undefined) return JSON.stringify(envelope)
  const whole = rest.op === 'put' && isObject(data) ? withMembers(data) : data
  return JSON.stringify({ ...envelope, data: coerceValue(schema, whole) })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Data in which a name with dots sets a member of an object, as the column of a view does: `{"economy.credits": 5}` is
 * `{"economy": {"credits": 5}}`. Where two names fill the same field, the data is left for the service to reject.
 */
function withMembers(data: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(data).some(name => name.includes('.'))) return data
  const whole: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    const path = name.split('.')
    const last = path.pop() ?? name
    let inside = whole
    for (const step of path) {
      if (!Object.hasOwn(inside, step)) setOwn(inside, step, {})
      const next = inside[step]
      if (!isObject(next)) return data
      inside = next
    }
    if (Object.hasOwn(inside, last)) return data
    setOwn(inside, last, isObject(value) && path.length === 0 ? { ...value } : value)
  }
  return whole
}

/** Also for the name `__proto__`, which an assignment would not store. */
const setOwn = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })

const id = { type: 'string' }
const time = { type: 'string', format: 'date-time' }

/** The members of a fact beside its data. */
const envelopeSchema = (era: ValueSchema): ValueSchema => ({
  type: 'object',
  properties: { id, player: id, nations: { type: 'array', items: id }, at: time, ended: era, next: era },
})

const eventSchema = (data: ValueSchema | undefined): ValueSchema => ({
  type: 'object',
  properties: {
    occurred_at: time,
    war_id: { type: ['string', 'null'] },
    conflict_id: { type: ['string', 'null'] },
    nation_ids: { type: 'array', items: id },
    alliance_ids: { type: 'array', items: id },
    ...(data ? { data } : {}),
  },
})
