import {
  contractFor,
  demoProfile,
  type EventKind,
  type Operation,
  operations,
  responseSchema,
} from '@chancery/contract'

/** A JSON schema, as far as largest values need it. */
interface Schema {
  type?: string | string[]
  enum?: unknown[]
  pattern?: string
  format?: string
  maxLength?: number
  maximum?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
}

const contract = contractFor(demoProfile)
/** Lists without a bound of their own hold more than any reply shows. */
const itemsUsual = 40

/** The largest value that a schema allows: every text as long as it may be, of one letter. */
function largest(schema: Schema, letter: string): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (schema.enum) return schema.enum.filter(value => value !== null).sort(byLength)[0]
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([member, of]) => [member, largest(of, letter)]),
    )
  if (type === 'array') {
    const length = Math.min(schema.maxItems ?? itemsUsual, itemsUsual)
    return Array.from({ length }, () => largest(schema.items ?? {}, letter))
  }
  if (type === 'integer') return Math.min(schema.maximum ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  if (type === 'number') return (schema.maximum ?? 1_000_000_000) - 0.01
  if (type === 'boolean') return false
  if (type !== 'string') return {}
  if (schema.format === 'date-time') return '2026-05-27T18:04:11.123456Z'
  if (schema.pattern?.startsWith('^#')) return '#abcdef'
  if (schema.pattern?.startsWith('^https'))
    return `https://game.example/${'f'.repeat((schema.maxLength ?? 100) - 21)}`
  if (schema.pattern) return 'i'.repeat(64)
  return letter.repeat(Math.ceil((schema.maxLength ?? 64) / letter.length)).slice(0, schema.maxLength ?? 64)
}

const byLength = (a: unknown, b: unknown) => String(b).length - String(a).length

const pathPattern = (path: string) => new RegExp(`/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Responds to every operation with the largest body that the contract allows, with texts of one letter. */
export function largestGame(letter: string): typeof globalThis.fetch {
  return async input => {
    const url = new URL(String(input))
    const operation: Operation | undefined = Object.values(operations).find(
      of => of.path !== '/events/stream' && pathPattern(of.path).test(url.pathname),
    )
    if (!operation) return new Response(null, { status: 404 })
    const { isList: many, resources } = operation.returns
    const resource = url.searchParams.get('board') === 'alliances' ? resources.at(-1) : resources[0]
    const body = responseSchema(contract, operation, resource) as { properties: { data: Schema } }
    const { data } = body.properties
    if (!many) return Response.json({ data: largest(data, letter) })
    const limit = Number(url.searchParams.get('limit') ?? 25)
    return Response.json({
      data: Array.from({ length: limit }, () => largest(data.items ?? {}, letter)),
      pagination: { page: Number(url.searchParams.get('page') ?? 1), limit, total: 9e15, pages: 9e15 },
    })
  }
}

/** The largest event of each kind. */
export const largestEvents = (letter: string) =>
  Object.entries(contract.eventKinds).map(([type, { data }]: [string, EventKind]) => ({
    ...(largest({ type: 'object', properties: contract.resources.event.fields as never }, letter) as object),
    type,
    data: largest(data as Schema, letter),
  }))
