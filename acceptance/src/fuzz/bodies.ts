import fc from 'fast-check'
import { mutated, valuesFor } from './body-values.ts'
import type { Operation, Schema } from './document.ts'
import type { Session } from './session.ts'

/** A body as it is sent. */
export interface Body {
  text: string | undefined
  type: string | undefined
  /** Whether the document takes it: what it does not take must be refused. */
  isValid: boolean
}

const oddBodies = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"__proto__":{"a":1}}',
  '\0',
  '['.repeat(5_000),
  '{"a":1}{"a":2}',
]
const oddTypes = [undefined, 'text/plain', 'application/xml', 'application/', 'x']

/** Bodies for an operation: valid ones, ones with one mutation, and ones that are not JSON. */
export function bodiesFor(session: Session, operation: Operation): fc.Arbitrary<Body> {
  const { body } = operation
  const none: Body = { text: undefined, type: undefined, isValid: !body?.isRequired }
  if (!body) return fc.constant(none)
  const typed = Object.entries(body.content).map(([type, { schema }]) =>
    schema.contentSchema
      ? linesOf(session, type, schema.contentSchema)
      : jsonOf(session, operation, type, schema),
  )
  // Lines are processed one by one whatever the content type: only JSON can have a wrong one.
  const wrongType = fc.constantFrom(...oddTypes).map((type): Body => ({ text: '{}', type, isValid: false }))
  return fc.oneof(...typed.map(arbitrary => ({ weight: 12, arbitrary })), fc.constant(none), wrongType)
}

function jsonOf(session: Session, operation: Operation, type: string, schema: Schema): fc.Arbitrary<Body> {
  const { api, checker, values } = session
  const good = valuesFor(api, values, schema)
  const judged = (value: unknown): Body => ({
    text: JSON.stringify(value),
    type,
    isValid: checker.accepts(schema, value),
  })
  const odd = fc.constantFrom(...oddBodies).map((text): Body => {
    const isOptional = text === '' && operation.body?.isRequired === false
    return { text, type, isValid: isOptional || acceptsText(session, schema, text) }
  })
  return fc.oneof(
    { weight: 6, arbitrary: good.map(judged) },
    { weight: 4, arbitrary: mutated(good).map(judged) },
    { weight: 1, arbitrary: odd },
  )
}

function acceptsText({ checker }: Session, schema: Schema, text: string): boolean {
  try {
    return checker.accepts(schema, JSON.parse(text))
  } catch {
    return false
  }
}

/** Valid and invalid lines. An invalid line is reported by a line: the body as a whole is accepted. */
function linesOf({ api, values }: Session, type: string, schema: Schema): fc.Arbitrary<Body> {
  const good = valuesFor(api, values, schema)
  const line = fc.oneof(
    { weight: 8, arbitrary: good.map(value => JSON.stringify(value)) },
    { weight: 2, arbitrary: mutated(good).map(value => JSON.stringify(value) ?? '') },
    fc.constantFrom('', '{', '\0', 'null', '[]', ' ', '{"op":"put"}', '{"op":"commit","batch":"b"}'),
  )
  return fc
    .array(line, { maxLength: 6 })
    .map((lines): Body => ({ text: lines.map(each => `${each}\n`).join(''), type, isValid: true }))
}
