import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, factResources, inputFields } from '@chancery/contract'
import { type Batch, createWorld, demoViewers } from '../src/index.ts'
import { FactStore } from './fact-store.ts'

const endsAt = '2026-06-01T12:30:00Z'

function* batchesOf(nations: number, days: number, seed: number, ticks: number): Generator<Batch> {
  const world = createWorld({ nations, days, seed, endsAt })
  yield* world.history()
  for (let tick = 1; tick <= ticks; tick++) {
    yield world.tick(new Date(Date.parse(endsAt) + tick * 11_000).toISOString())
  }
}

/** Every reference of a row, as resource and id. */
function* references(resource: string, data: Record<string, unknown>): Generator<[string, unknown]> {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const member = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).find(([name]) => name === key)?.[1]
      : undefined
  const simple: Record<string, string> = {
    alliance_id: 'alliance',
    war_id: 'war',
    conflict_id: 'conflict',
    era_id: 'era',
  }
  for (const [key, target] of Object.entries(simple)) if (data[key]) yield [target, data[key]]
  if (resource === 'alliance_member' || resource === 'alliance_application') yield ['nation', data.nation_id]
  for (const id of list(data.nation_ids)) yield ['nation', id]
  for (const id of list(data.alliance_ids)) yield ['alliance', id]
  for (const assignment of list(data.assignments)) {
    yield ['nation', member(assignment, 'target_nation_id')]
    yield ['alliance', member(assignment, 'alliance_id')]
  }
  for (const side of list(data.sides)) {
    for (const entry of list(member(side, 'alliances'))) yield ['alliance', member(entry, 'alliance_id')]
  }
  if (member(data.champion, 'alliance_id')) yield ['alliance', member(data.champion, 'alliance_id')]
  for (const side of [data.attacker, data.defender, ...list(data.participants)])
    if (side) yield ['nation', member(side, 'nation_id')]
  for (const key of ['attacker_nation_id', 'defender_nation_id']) if (data[key]) yield ['nation', data[key]]
}

test('at the end of each batch all references are valid', () => {
  const known = new FactStore()
  let checked = 0
  for (const batch of batchesOf(200, 60, 5, 50)) {
    known.apply(batch)
    for (const fact of batch.facts) {
      if (fact.op === 'delete') continue
      const [resource, data] = fact.op === 'put' ? [fact.resource, fact.data] : ['event', fact.data.data]
      for (const [target, id] of references(resource, { ...data })) {
        assert.ok(known.of(target).has(String(id)), `${batch.id}: ${target} ${id} of ${JSON.stringify(fact)}`)
        checked++
      }
    }
    for (const resource of ['alliance_member', 'alliance_application', 'treaty']) {
      for (const row of known.of(resource).values()) {
        if (row.status === 'ended' || row.ended_at) continue
        for (const [target, id] of references(resource, row)) {
          assert.ok(
            known.of(target).has(String(id)),
            `${batch.id}: ${resource} still refers to ${target} ${id}`,
          )
        }
      }
    }
  }
  assert.ok(checked > 2000)
})

test('a history sends every field of every resource', () => {
  const sent = new Set<string>()
  for (const { facts } of batchesOf(200, 60, 5, 0))
    for (const fact of facts)
      if (fact.op === 'put')
        for (const [field, value] of Object.entries(fact.data))
          if (value !== null) sent.add(`${fact.resource}.${field}`)
  const { resources } = contractFor(demoProfile)
  const fields = factResources.flatMap(name =>
    inputFields(resources[name]).map(([field]) => `${name}.${field}`),
  )
  assert.deepEqual(
    fields.filter(field => !sent.has(field)),
    // The demo has no pictures and no moderators, and the service fills in the alliances of battles.
    [
      'alliance.flag_url',
      'alliance.moderation_notes',
      'nation.flag_url',
      'battle.attacker_alliance_id',
      'battle.defender_alliance_id',
    ],
  )
})

test('no batch puts and deletes the same row', () => {
  for (const batch of batchesOf(1200, 60, 6, 30)) {
    const put = new Set<string>()
    for (const fact of batch.facts) {
      if (fact.op !== 'put') continue
      const data: Record<string, unknown> = { ...fact.data }
      put.add(`${fact.resource} ${data.id ?? data.nation_id}`)
    }
    for (const fact of batch.facts) {
      if (fact.op === 'delete')
        assert.ok(!put.has(`${fact.resource} ${fact.id}`), `${batch.id}: ${fact.resource} ${fact.id}`)
    }
  }
})

test('a tick deletes nothing', () => {
  const world = createWorld({ nations: 100, days: 10, seed: 4, endsAt })
  for (const _ of world.history());
  for (let tick = 1; tick <= 200; tick++) {
    const { facts, announce } = world.tick(new Date(Date.parse(endsAt) + tick * 600_000).toISOString())
    assert.equal(announce, true)
    assert.ok(facts.every(({ op }) => op !== 'delete'))
  }
})

test('every tick has events, also the first after a long pause', () => {
  const world = createWorld({ nations: 80, days: 5, seed: 4, endsAt })
  for (const _ of world.history());
  for (const seconds of [1, 2, 7, 9, 86_400 * 9, 86_400 * 9 + 5]) {
    const { facts } = world.tick(new Date(Date.parse(endsAt) + seconds * 1000).toISOString())
    const reported = facts.filter(
      fact =>
        fact.op === 'event' || (fact.op === 'put' && ['war', 'battle', 'news_item'].includes(fact.resource)),
    )
    assert.ok(reported.length > 0)
    assert.ok(facts.length < 400, `${facts.length} facts`)
  }
})

test('a side loses at most its stock, and losses contain public units only', () => {
  const known = new FactStore()
  const shown = new Set(demoProfile.units.filter(unit => unit.shows_in_losses).map(({ key }) => key))
  let counted = 0
  for (const batch of batchesOf(200, 30, 8, 0)) {
    const lost = lossesIn(batch)
    const before = new Map([...known.of('nation')].map(([id, row]) => [id, { ...row }]))
    known.apply(batch)
    for (const [key, count] of lost) {
      const [nation = '', unit = ''] = key.split(' ')
      assert.ok(shown.has(unit), unit)
      const had = forcesOf(before.get(nation), unit)
      assert.ok(count <= had, `${batch.id}: ${key} lost ${count} of ${had}`)
      const left = forcesOf(known.of('nation').get(nation), unit)
      const made = orderedOf(before.get(nation), unit, batch)
      assert.ok(
        [had - count, had - count + made].includes(left),
        `${batch.id}: ${key} ${had} - ${count} = ${left}`,
      )
      counted += count
    }
    for (const nation of known.of('nation').values()) {
      const { readiness } = { ...Object(nation.military) }
      assert.ok(readiness >= 0 && readiness <= 100)
    }
  }
  assert.ok(counted > 10_000)
})

const amount = (held: unknown, key: string) => Number({ ...Object(held) }[key] ?? 0)

/** Units in service and in reserve. */
function forcesOf(nation: Record<string, unknown> | undefined, unit: string): number {
  const { units, reserves } = { ...Object(nation?.military) }
  return amount(units, unit) + amount(reserves, unit)
}

/** What the production queue delivers within a batch. */
function orderedOf(nation: Record<string, unknown> | undefined, unit: string, { facts }: Batch): number {
  const ends =
    facts
      .flatMap(fact => (fact.op === 'event' ? [] : [fact.at]))
      .sort()
      .at(-1) ?? ''
  const { queue } = { ...Object(nation?.production) }
  let made = 0
  for (const { item, quantity, completes_at } of Array.isArray(queue) ? queue : []) {
    if (item === unit && completes_at <= ends) made += quantity
  }
  return made
}

function lossesIn({ facts }: Batch): Map<string, number> {
  const lost = new Map<string, number>()
  for (const fact of facts) {
    if (fact.op !== 'put' || fact.resource !== 'battle') continue
    const { attacker_nation_id: attacker, defender_nation_id: defender, losses } = fact.data
    for (const [nation, side] of [
      [attacker, losses?.attacker],
      [defender, losses?.defender],
    ] as const) {
      for (const [unit, count] of Object.entries(side ?? {})) {
        lost.set(`${nation} ${unit}`, (lost.get(`${nation} ${unit}`) ?? 0) + (count ?? 0))
      }
    }
  }
  return lost
}

for (const [nations, days, seed] of [
  [50, 14, 1],
  [50, 30, 2],
  [200, 30, 3],
  [600, 90, 1],
] as const) {
  test(`a history of ${nations} nations and ${days} days has rows of every kind at its end`, () => {
    const world = createWorld({ nations, days, seed, endsAt })
    const known = new FactStore()
    const launches: string[] = []
    for (const batch of world.history()) {
      known.apply(batch)
      for (const fact of batch.facts) {
        if (fact.op === 'event' && fact.data.type === 'strategic_weapon.launched')
          launches.push(fact.data.occurred_at)
      }
    }
    const rows = (resource: string) => [...known.of(resource).values()]
    const withStatus = (resource: string, status: string) =>
      rows(resource).filter(row => row.status === status).length
    assert.ok(withStatus('war', 'active') >= 10)
    assert.ok(withStatus('war', 'ended') >= 3)
    assert.equal(withStatus('conflict', 'active'), 1)
    assert.ok(withStatus('conflict', 'ended') >= 1)
    assert.ok(rows('era').length >= 3)
    assert.equal(withStatus('era', 'active'), 1)
    assert.ok(rows('news_item').length >= 30)
    assert.ok(launches.filter(at => Date.parse(at) > Date.parse(endsAt) - 3 * 86_400_000).length >= 3)
    assert.equal(rows('market_price').length, demoProfile.resources.length)
    for (const row of rows('market_price')) assert.equal(Object.keys(row).length, 12)
    const share = rows('alliance_member').length / rows('nation').length
    assert.ok(share > 0.6 && share < 0.9, `${share}`)
    const viewers = demoViewers(world)
    assert.equal(known.of('alliance_member').has(viewers.independent.nationId), false)
    assert.equal(known.of('alliance_member').get(viewers.member.nationId)?.rank, 'member')
    assert.equal(known.of('alliance_member').get(viewers.officer.nationId)?.rank, 'officer')
    assert.equal(known.of('alliance_member').get(viewers.leader.nationId)?.rank, 'leader')
    assert.equal(known.of('nation').get(viewers.member.nationId)?.player, viewers.member.playerId)
  })
}

test('a nation is in one alliance at most, and every alliance has one leader', () => {
  const world = createWorld({ nations: 300, days: 60, seed: 13, endsAt })
  for (const _ of world.history());
  const seen = new Set<string>()
  for (const alliance of world.state.alliances) {
    for (const nation of alliance.members) {
      assert.ok(!seen.has(nation.id), nation.id)
      seen.add(nation.id)
      assert.equal(nation.alliance, alliance)
    }
    const leaders = alliance.members.filter(({ rank }) => rank?.tier === 'leader')
    assert.equal(leaders.length, alliance.members.length === 0 ? 0 : 1, alliance.name)
  }
  assert.equal(world.state.nations.filter(({ alliance }) => alliance).length, seen.size)
})

test('names of nations and alliances and tags are unique', () => {
  const known = new FactStore()
  for (const batch of batchesOf(3000, 0, 9, 0)) known.apply(batch)
  for (const [resource, field] of [
    ['nation', 'nation_name'],
    ['alliance', 'name'],
    ['alliance', 'tag'],
  ] as const) {
    const names = [...known.of(resource).values()].map(row => row[field])
    assert.equal(new Set(names).size, names.length, field)
  }
})
