import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { alliance, battle, event, member, nation, put, remove, war } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { dump } from '../support/database-url.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'

let runs = 0
const chancery = closeAfter(await startTestServer())

/** The words between the names in generated sentences. */
const between = [
  ' launched a nuclear missile at ',
  ' intercepted a nuclear missile launched by ',
  ' declared war on ',
  ' is now called ',
  '. ',
]

/** Every text that an entity ever had, by entity. Each is made of unique words. */
class Words {
  #count = 0
  readonly byEntity = new Map<string, string[]>()
  readonly namesByNation = new Map<string, string[]>()

  /** A name that reads like a sentence about two nations. */
  makeName(nationId: string): string {
    const words = between[this.#count % between.length] ?? ''
    const name = `${this.make(nationId)}${words}${this.make(nationId)}`
    this.namesByNation.set(nationId, [...(this.namesByNation.get(nationId) ?? []), name])
    return name
  }

  make(entity: string): string {
    this.#count += 1
    const word = `Qz${runs}_${this.#count}zQ`
    this.byEntity.set(entity, [...(this.byEntity.get(entity) ?? []), word])
    return word
  }
}

const wordsIn = (text: string) => new Set(text.match(/Qz\d+_\d+zQ/g))

const step = fc.record({
  act: fc.constantFrom(
    'name',
    'name',
    'remove',
    'join',
    'war',
    'war',
    'battle',
    'end',
    'leave',
    'treaty',
    'conflict',
    'game',
    'game',
    'game',
    'news',
    'era',
  ),
  one: fc.nat(3),
  two: fc.nat(3),
  three: fc.nat(1),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const time = (number: number) =>
  new Date(Date.UTC(2026, 4, 1) + number * 60_000).toISOString().replace('.000Z', 'Z')

/** Batches of a random history. Deleted entities return under other names, or are only referred to. */
function historyOf(steps: Step[], prefix: string, words: Words): Fact[][] {
  const n = (id: number) => `${prefix}n${id}`
  const a = (id: number) => `${prefix}a${id}`
  const named = (id: number) =>
    nation(n(id), { nation_name: words.makeName(n(id)), leader_name: words.make(n(id)) })
  const called = (id: number) =>
    alliance(a(id), { name: words.make(a(id)), tag: words.make(a(id)), description: words.make(a(id)) })
  /** Without the leaders: former leaders occur only in written texts. */
  const namesOf = (id: number) => words.namesByNation.get(n(id)) ?? []
  const batches: Fact[][] = [[0, 1, 2, 3].map(named), [0, 1].map(called)]
  let wars = 0
  steps.forEach(({ act, one, two, three }, index) => {
    const at = time(index)
    const id = `${prefix}${index}`
    const other = one === two ? (two + 1) % 4 : two
    const acts: Record<string, () => Fact[]> = {
      name: () => (two > 1 ? [named(one)] : [called(three)]),
      // Facts may refer to a deleted entity.
      remove: () => (two > 1 ? [remove('nation', n(one))] : [remove('alliance', a(three))]),
      join: () => [named(one), called(three), member(n(one), a(three))],
      war: () => {
        wars += 1
        return [
          war(`${prefix}w${wars}`, n(one), n(other), {
            reason: words.make(`${prefix}w${wars}`),
            declared_at: at,
            participants: [0, 1, 2, 3]
              .filter(id => id !== one && id !== other)
              .map((id, number) => ({
                side: three === 0 ? 'attacker' : 'defender',
                nation_id: n(id),
                joined_at: time(index + number),
              })),
          }),
        ]
      },
      battle: () => (wars > 0 ? [battle(id, `${prefix}w${wars}`, n(one), n(other), { fought_at: at })] : []),
      end: () => (wars > 0 ? [put('war', { id: `${prefix}w${wars}`, ended_at: at })] : []),
      leave: () => (wars > 0 ? [put('war', { id: `${prefix}w${wars}`, participants: [] })] : []),
      treaty: () => [
        called(0),
        called(1),
        put('treaty', { id, alliance_ids: [a(0), a(1)], type: 'non_aggression' }),
        put('treaty', {
          id: `${id}e`,
          nation_ids: [n(one), n(other)],
          type: 'non_aggression',
          status: 'ended',
        }),
      ],
      conflict: () => [
        put('conflict', {
          id: `${prefix}c${three}`,
          name: words.make(`${prefix}c${three}`),
          cause: words.make(`${prefix}c${three}`),
          started_at: at,
          sides: [
            { name: 'One', alliances: [{ alliance_id: a(0) }] },
            { name: 'Two', alliances: [{ alliance_id: a(1) }] },
          ],
        }),
      ],
      game: () => [
        event({
          type: 'strategic_weapon.launched',
          occurred_at: at,
          data: { weapon: 'nuclear_missile', attacker_nation_id: n(one), defender_nation_id: n(other) },
        }),
        event({
          type: 'game.disaster',
          occurred_at: at,
          summary: `It struck ${namesOf(one)[0]} and ${namesOf(other)[0]}.`,
          nation_ids: [n(one), n(other)],
          data: { disaster: `near ${namesOf(one).at(-1)}` },
        }),
      ],
      news: () => [
        put('news_item', {
          id: `${prefix}x`,
          title: words.make(`${prefix}x`),
          body: words.make(`${prefix}x`),
          published_at: at,
        }),
      ],
      era: () => [
        put('era', {
          id: `${prefix}e`,
          name: words.make(`${prefix}e`),
          status: three === 0 ? 'active' : 'ended',
          champion: { alliance_id: a(three), name: words.make(a(three)) },
        }),
      ],
    }
    batches.push(acts[act]?.() ?? [])
  })
  return batches.filter(facts => facts.length > 0)
}

const resources = {
  n: ['nation', { nation_name: 'Gone', leader_name: 'Gone' }],
  a: ['alliance', { name: 'Gone', tag: 'GN', description: null }],
  w: ['war', { reason: null }],
  c: ['conflict', { name: 'Gone', cause: null }],
  x: ['news_item', { title: 'Gone', body: '' }],
  e: ['era', { name: 'Gone' }],
} as const

test('in any world, all words of a redacted entity are removed, and no word of another', {
  timeout: 1_200_000,
}, async () => {
  const numRuns = randomRuns(12)
  let redacted = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.nat(), async (steps, choice) => {
      runs += 1
      const prefix = `r${runs}_`
      const words = new Words()
      for (const facts of historyOf(steps, prefix, words)) await chancery.ingest(facts, { waits: false })
      const entities = [...words.byEntity.keys()]
      const entity = entities[choice % entities.length] ?? ''
      const [resource, data] = resources[entity.slice(prefix.length)[0] as keyof typeof resources]
      const before = wordsIn(await dump(chancery.databaseUrl))
      await chancery.ingest([{ op: 'redact', resource, id: entity, data }], { waits: false })
      const after = wordsIn(await dump(chancery.databaseUrl))
      const own = new Set(words.byEntity.get(entity))
      assert.deepEqual(after.intersection(own), new Set(), `${resource} ${entity}`)
      assert.deepEqual(after, before.difference(own))
      redacted += before.intersection(own).size
    }),
    { numRuns },
  )
  assert.ok(redacted > 0, 'words were redacted')
})
