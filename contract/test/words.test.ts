import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountOperations } from '../src/account/index.ts'
import { factsSchema } from '../src/facts-schema.ts'
import { contractFor, demoProfile, factResources } from '../src/index.ts'
import type { JsonSchema } from '../src/json-schema.ts'
import { operatorOperations } from '../src/operator/index.ts'
import { profileSchema } from '../src/profile/profile.ts'
import { compiler } from './validation.ts'

const contract = contractFor(demoProfile)

/** Every object inside a value, with its place. */
function* objectsIn(value: unknown, place: string): Generator<[string, JsonSchema]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [place, value as JsonSchema]
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${key}`)
}

test('every pattern and every format has a rule in words', () => {
  const checked = {
    resources: contract.resources,
    facts: factsSchema(contract),
    // Requests only: responses are not validated.
    operator: Object.values(operatorOperations).map(({ responses: _, ...sent }) => sent),
    account: Object.values(accountOperations).map(({ responses: _, ...sent }) => sent),
    profile: profileSchema,
  }
  let count = 0
  for (const [place, schema] of objectsIn(checked, '')) {
    if (typeof schema.pattern !== 'string' && typeof schema.format !== 'string') continue
    count += 1
    assert.match(String(schema['x-rule']), /^must /, `${place} has a pattern or a format without x-rule`)
    assert.doesNotMatch(String(schema['x-rule']), /\^|\\|\(\?/, `${place} says its pattern and no words`)
  }
  assert.ok(count > 200)
})

/** Free text of facts: neither an id nor a time, and no word of a list. */
const textsOfFacts = factResources.flatMap(resource =>
  [...objectsIn(contract.factSchemas[resource], resource)].filter(
    ([, schema]) =>
      [schema.type].flat().includes('string') &&
      schema.enum === undefined &&
      schema.const === undefined &&
      (schema.pattern === undefined || schema['x-line'] === true),
  ),
)

test('short texts of facts are one line', () => {
  const long = textsOfFacts.filter(([, schema]) => schema['x-line'] !== true)
  assert.deepEqual(
    long.filter(([, { maxLength }]) => Number(maxLength) <= 200).map(([place]) => place),
    [],
  )
  const lines = textsOfFacts.filter(([, schema]) => schema['x-line'] === true).map(([place]) => place)
  for (const field of [
    'nation/properties/nation_name',
    'nation/properties/leader_name',
    'alliance/properties/name',
    'alliance/properties/tag',
    'era/properties/name',
    'conflict/properties/name',
    'news_item/properties/title',
  ])
    assert.ok(lines.includes(field), field)
})

test('text of one line has no line breaks, control characters or bidirectional controls, and is not whitespace only', () => {
  const compile = compiler()
  for (const [place, { pattern, maxLength, minLength }] of textsOfFacts.filter(
    ([, { 'x-line': is }]) => is,
  )) {
    const isLine = compile({ type: 'string', pattern, maxLength, minLength })
    for (const good of ['Val', 'de Q', 'Côte', '北', 'ש', 'می\u200cرو', '👩\u200d🚀'])
      assert.ok(isLine(good), `${place} refuses ${JSON.stringify(good)}`)
    for (const wrong of [
      ...[' ', '\u00a0', '\u3000 ', '\u200b', '\u3164', '\u2800', '\ufeff'],
      ...['a\nb', 'a\r', '\u2028a', 'a\u0085', 'a\tb', 'a\u0007', 'a\u0000'],
      ...['\u202ea', 'a\u202c', 'a\u2066', '\u2069a', 'a\u200e', 'a\u200f', '\u061ca'],
    ])
      assert.ok(!isLine(wrong), `${place} takes ${JSON.stringify(wrong)}`)
  }
})
