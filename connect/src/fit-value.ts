/** The part of a contract's schema that decides how a value is written. */
export interface ValueSchema {
  type?: string | string[]
  format?: string
  properties?: Record<string, ValueSchema>
  items?: ValueSchema
}

/**
 * Writes a value of the game's database as the contract has it: whole numbers as ids where an id is text, times in UTC with Z.
 * What does not fit stays as it is, for the service to refuse. Undefined where null is left out: the field cannot be null.
 */
export function fitValue(schema: ValueSchema | undefined, value: unknown): unknown {
  if (value === null || value === undefined) return isNullable(schema) ? null : undefined
  if (Array.isArray(value)) return value.map(item => fitValue(schema?.items, item) ?? null)
  if (typeof value === 'object') return fitMembers(schema, value)
  if (isText(schema)) {
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && schema?.format === 'date-time') return utcTime(value)
  }
  return typeof value === 'bigint' ? String(value) : value
}

function fitMembers(schema: ValueSchema | undefined, value: object): object {
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const fitted = fitValue(schema?.properties?.[name], member)
    if (fitted !== undefined) members[name] = fitted
  }
  return members
}

const typesOf = (schema: ValueSchema | undefined): string[] => [schema?.type ?? []].flat()

export const isNullable = (schema: ValueSchema | undefined): boolean =>
  schema === undefined || typesOf(schema).includes('null')

const isText = (schema: ValueSchema | undefined) => typesOf(schema).includes('string')

/** Parses JSON without loss: whole numbers beyond what a number holds exactly become a BigInt. */
export function parseExactly(json: string): unknown {
  // Looking at each value costs, and so long a number is rare.
  if (!/\d{16}/.test(json)) return JSON.parse(json)
  const keepExact = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value
  return JSON.parse(json, keepExact)
}

const writtenTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,6})?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?$/

/** `2026-05-20 12:00:00.5+02` as `2026-05-20T10:00:00.5Z`; without a zone it is UTC, a day is its midnight. Else as it is. */
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
