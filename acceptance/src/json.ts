import assert from 'node:assert/strict'

export type JsonObject = Record<string, unknown>

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function asRecord(value: unknown): JsonObject {
  assert.ok(isRecord(value), `an object was expected, not ${JSON.stringify(value)?.slice(0, 200)}`)
  return value
}

/** The value at a path like `data.nation.id`; undefined where something on the way is missing. */
export function dig(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, member) => (isRecord(inner) ? inner[member] : undefined), value)
}

export function digText(value: unknown, path: string): string {
  const found = dig(value, path)
  assert.equal(typeof found, 'string', `${path} must be a string, not ${JSON.stringify(found)}`)
  return String(found)
}

export function digNumber(value: unknown, path: string): number {
  const found = dig(value, path)
  assert.equal(typeof found, 'number', `${path} must be a number, not ${JSON.stringify(found)}`)
  return Number(found)
}

export function digList(value: unknown, path: string): JsonObject[] {
  const found = dig(value, path)
  assert.ok(Array.isArray(found), `${path} must be an array, not ${JSON.stringify(found)?.slice(0, 200)}`)
  return found.map(asRecord)
}

/** The nations of a war: its two sides and its participants. */
export const nationsOfWar = (war: unknown): unknown[] => [
  digText(war, 'attacker.nation_id'),
  digText(war, 'defender.nation_id'),
  ...digList(war, 'participants').map(participant => participant.nation_id),
]

/** Name and value of every member of every object in a value. */
export function* members(value: unknown): Generator<[name: string, value: unknown]> {
  if (Array.isArray(value)) for (const item of value) yield* members(item)
  if (!isRecord(value)) return
  for (const [name, inner] of Object.entries(value)) {
    yield [name, inner]
    yield* members(inner)
  }
}
