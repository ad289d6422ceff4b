import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  copyOf,
  demoProfile,
  originOf,
  type RedactableResource,
  redactableResources,
  type TextSchema,
} from '@chancery/contract'
import fc from 'fast-check'
import Type from 'typebox'
import { membersOf, replaceCopies, replaceWritten } from '../../src/redaction/denormalized-copies.ts'
import { randomRuns } from '../support/tier.ts'

const contract = contractFor(demoProfile)
const kinds = Object.entries(contract.eventKinds)

const reference = () =>
  Type.Object({
    nation_id: Type.String(),
    nation_name: copyOf('nation.nation_name', 'nation_id', Type.String()),
  })

test('copies of a text are replaced in data of any shape, and nothing else is', () => {
  const schema = Type.Object({
    sides: Type.Array(reference()),
    nation: reference(),
    old_name: copyOf('nation.nation_name', 'nation.nation_id', Type.String()),
    title: Type.String(),
  })
  const found: string[] = []
  const nation = { nation_id: 'n5', nation_name: 'Old' }
  const other = { nation_id: 'n6', nation_name: 'Old' }
  const data = { sides: [nation, other], nation, old_name: 'Older', title: 'Old' }
  const replacement = { resource: 'nation', key: 'n5', texts: { nation_name: 'New', motto: null } } as const
  const renamed = { nation_id: 'n5', nation_name: 'New' }
  assert.deepEqual(
    replaceCopies(schema, data, replacement, (field, text) => found.push(`${field} ${text}`)),
    { sides: [renamed, other], nation: renamed, old_name: 'New', title: 'Old' },
  )
  assert.deepEqual(found, ['nation_name Old', 'nation_name Old', 'nation_name Older'])
  assert.equal(
    replaceCopies(reference(), other, replacement, () => assert.fail()),
    other,
  )
})

test('a text can be removed, and null stays null', () => {
  const schema = contract.eventKinds['war.declared']?.data ?? assert.fail()
  const replacement = { resource: 'war', key: 'w1', texts: { reason: null } } as const
  const ignore = () => undefined
  const war = (reason: string | null) => ({ war: { war_id: 'w1', type: null, reason } })
  assert.deepEqual(replaceCopies(schema, war('Because'), replacement, ignore), war(null))
  const filled = { ...replacement, texts: { reason: 'Unsaid' } }
  assert.deepEqual(replaceCopies(schema, war(null), filled, ignore), war(null))
})

test('former texts are replaced in lists of texts of a game’s own kind, and not in lists of ids', () => {
  const data = {
    words: { type: 'strings', description: 'What it says.' },
    nations: { type: 'ids', description: 'Who spreads it.' },
  } as const
  const game = { type: 'game.rumour', description: 'A rumour.', data }
  const { eventKinds } = contractFor({ ...demoProfile, event_kinds: [game] })
  const replace = (text: string) => text.replace('Old', 'New')
  assert.deepEqual(
    replaceWritten(eventKinds['game.rumour']?.data, { words: ['Old', 'of Old'], nations: ['Old'] }, replace),
    { words: ['New', 'of New'], nations: ['Old'] },
  )
})

test('former texts are replaced in data of a kind that is no longer known, at any depth', () => {
  const data = { text: 'Old', deep: [{ text: 'Older Old' }], count: 1 }
  assert.deepEqual(
    replaceWritten(undefined, data, text => text.replaceAll('Old', 'New')),
    { text: 'New', deep: [{ text: 'Newer New' }], count: 1 },
  )
})

test('members that hold texts of a resource are those of facts and events', () => {
  assert.deepEqual(
    membersOf(contract, { resource: 'nation', key: 'n1', texts: { nation_name: 'New', motto: null } }),
    new Set(['nation_name', 'motto', 'old_name', 'attacker_nation_name', 'defender_nation_name']),
  )
  const ofAlliance = { resource: 'alliance', key: 'a1', texts: { name: 'New', tag: 'N' } } as const
  assert.deepEqual(
    membersOf(contract, ofAlliance),
    new Set(['name', 'tag', 'alliance_name', 'old_name', 'old_tag']),
  )
})

const ids = ['x1', 'x2']
/** Occurs only in texts of one entity. */
const canaryOf = (resource: RedactableResource, id: string) => `Qz_${resource}_${id}_zQ`

/** All words around the names in the sentences of Chancery. */
const templateWords = [
  ...new Set(
    kinds.flatMap(([, { summarize, data }]) => {
      const [sample] = fc.sample(
        dataOf(data, () => fc.constant('\u0001')),
        { numRuns: 1, seed: 1 },
      )
      return summarize?.(sample).split('\u0001') ?? []
    }),
  ),
].filter(words => words.trim() !== '')

/** A name composed of template words and the entity's canary. */
const craftedName = (canary: string) =>
  fc
    .array(fc.constantFrom(canary, ...templateWords), { minLength: 1, maxLength: 5 })
    .map(words => `${words.join('')}${canary}`)

type NameOf = (resource: RedactableResource, id: string) => fc.Arbitrary<string>

/** Data of an event kind in which each copy has a name of its entity. */
function dataOf(
  schema: TextSchema,
  nameOf: NameOf,
  around: Record<string, unknown> = {},
): fc.Arbitrary<unknown> {
  const { type, enum: words, properties, items, format } = schema
  const [first] = [type].flat()
  const origin = originOf(schema)
  if (words) return fc.constantFrom(...words)
  if (typeof origin === 'object') return nameOf(origin.resource, String(valueAt(around, origin.id)))
  if (items) return fc.array(dataOf(items, nameOf), { minLength: 1, maxLength: 3 })
  if (properties) {
    const isCopy = ([, member]: [string, TextSchema]) => typeof originOf(member) === 'object'
    const members = Object.entries(properties)
    const record = (chosen: [string, TextSchema][], holder: Record<string, unknown>) =>
      fc.record(
        Object.fromEntries(chosen.map(([name, member]) => [name, dataOf(member, nameOf, holder)])),
      ) as fc.Arbitrary<Record<string, unknown>>
    // The ids come first: a name is that of its entity.
    return record(
      members.filter(member => !isCopy(member)),
      {},
    ).chain(rest => record(members.filter(isCopy), rest).map(copies => ({ ...rest, ...copies })))
  }
  if (first === 'integer' || first === 'number') return fc.constant(1)
  if (first === 'boolean') return fc.boolean()
  if (format) return fc.constant('2026-05-20T10:00:00Z')
  return schema.pattern ? fc.constantFrom(...ids) : fc.constant('own')
}

function valueAt(holder: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, member) => (value as Record<string, unknown>)[member], holder)
}

const entity = fc.record({ resource: fc.constantFrom(...redactableResources), id: fc.constantFrom(...ids) })

for (const [type, { data: schema, summarize }] of kinds)
  test(`${type} loses all texts of a redacted entity, and no text of another`, () => {
    const data = dataOf(schema, (resource, id) => craftedName(canaryOf(resource, id)))
    fc.assert(
      fc.property(data, entity, (before, { resource, id }) => {
        const texts = {
          nation_name: 'Gone',
          name: 'Gone',
          tag: 'GN',
          reason: null,
          cause: null,
          title: 'Gone',
        }
        const after = replaceCopies(schema, before, { resource, key: id, texts }, () => undefined)
        const textOf = (value: unknown) => `${JSON.stringify(value)} ${summarize?.(value) ?? ''}`
        const canaries = (text: string) => text.match(/Qz_[a-z_]+_x\d_zQ/g) ?? []
        const own = canaryOf(resource, id)
        assert.deepEqual(
          canaries(textOf(after)),
          canaries(textOf(before)).filter(canary => canary !== own),
        )
      }),
      { numRuns: randomRuns(60) },
    )
  })
