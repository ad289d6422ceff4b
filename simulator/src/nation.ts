import type { Attribute } from '@chancery/contract'
import { timestamp } from './calendar.ts'
import type { PutData } from './fact.ts'
import { families } from './names/families.ts'
import { leaderName, placeName } from './names/name-book.ts'
import { motto } from './names/phrases.ts'
import { Random } from './random.ts'
import type { Nation, Order, WorldState } from './state.ts'
import type { Unit } from './vocabulary.ts'

/** Shared by all: queues are replaced, never mutated. */
const noOrders: readonly Order[] = []

const colour = (random: Random) =>
  `#${[0, 0, 0].map(() => random.integer(24, 216).toString(16).padStart(2, '0')).join('')}`

export const cents = (value: number) => Math.round(value * 100) / 100

/** Amounts by the profile’s keys. */
export function counts<T extends { key: string }>(terms: readonly T[], amountOf: (term: T) => number) {
  const record: Record<string, number> = {}
  for (const term of terms) record[term.key] = amountOf(term)
  return record
}

/** The score that a nation’s cities and forces are worth. Its score approaches it slowly. */
export function targetScore({ vocabulary, forces }: WorldState, nation: Nation): number {
  let force = 0
  for (const unit of vocabulary.fieldUnits) force += forces.of(nation, unit) / unit.perPoint
  const kinds = vocabulary.fieldUnits.length
  return nation.cities * 48 * nation.richness + nation.land * 0.002 + (kinds > 0 ? (force / kinds) * 0.25 : 0)
}

/** `age` is 1 for the oldest nations and 0 for one that is founded now. */
export function makeNation(
  world: WorldState,
  random: Random,
  { id, foundedAt, age }: { id: string; foundedAt: number; age: number },
): Nation {
  const { vocabulary, forces, reserves, stocks } = world
  const { profile, units, goods } = vocabulary
  const family = random.integer(0, families.length - 1)
  const government = random.integer(0, Math.max(0, profile.governments.length - 1))
  const cities = Math.max(1, Math.round((1.5 + 13 * age) * Math.exp(random.normal() * 0.45)))
  const richness = Math.exp(random.normal() * 0.16)
  const ambition = cities * 60 * richness
  const militancy = random.range(0.5, 1.5)
  const landlocked = random.chance(0.22)
  const has = (unit: Unit) => {
    if (unit.domain === 'sea' && landlocked) return 0
    if (unit.domain === 'strategic') {
      return ambition > 900 && random.chance(0.35) ? random.integer(1, 1 + Math.round(ambition / 500)) : 0
    }
    return Math.round(unit.perPoint * ambition * militancy * random.range(0.4, 1.4))
  }
  const nation: Nation = {
    id,
    row: world.rows++,
    name: world.names.nation(random, family, profile.governments[government]?.key ?? ''),
    leader: leaderName(random, family),
    family,
    government,
    score: 0,
    status: 'active',
    statusSince: foundedAt,
    cities,
    land: Math.round(cities * random.range(900, 2400)),
    richness,
    mainGood: goods.length > 0 ? random.pick(goods) : undefined,
    sideGood: goods.length > 0 ? random.pick(goods) : undefined,
    alliance: null,
    rank: null,
    joinedAt: 0,
    seesTreasury: null,
    movedAt: 0,
    readiness: Math.round(random.range(70, 97) * 10) / 10,
    credits: Math.round(cities * random.range(8_000, 90_000)),
    queue: noOrders,
    weariness: 0,
    prestige: Math.round(400 * age + new Random(world.seed, id, 'prestige').range(20, 60)),
    offensiveWars: 0,
    defensiveWars: 0,
    appliesTo: null,
    assignedUntil: 0,
    updatedUntil: world.elapsed,
    dirtyMask: 0,
  }
  for (const unit of units) {
    const force = has(unit)
    forces.set(nation, unit, force)
    if (unit.domain !== 'strategic') reserves.set(nation, unit, force * random.range(0.05, 0.3))
  }
  for (const good of goods) stocks.set(nation, good, good.needPerCity * cities * random.range(8, 26))
  nation.score = cents(targetScore(world, nation) * random.range(0.92, 1.08))
  addCities(world, nation, cities)
  return nation
}

/** Adds cities to the supply and demand of the market, or removes them. */
export function addCities(
  { market, vocabulary }: WorldState,
  { mainGood, sideGood, richness }: Nation,
  cities: number,
) {
  market.cities += cities
  for (const good of vocabulary.goods) {
    const need = (market.demand[good.index] ?? 0) + good.needPerCity * cities
    market.demand[good.index] = need
  }
  const yields = (index: number, amount: number) => {
    market.supply[index] = (market.supply[index] ?? 0) + amount * cities * richness
  }
  if (mainGood) yields(mainGood.index, mainGood.yieldPerCity)
  if (sideGood) yields(sideGood.index, sideGood.yieldPerCity * 0.5)
}

/** The player of n7 is p7: nations never change their player. */
export const playerOf = (nation: Nation) => `p${nation.id.slice(1)}`

/** The complete row of a new nation, public and private. */
export function nationRow(
  world: WorldState,
  nation: Nation,
  { foundedAt, random }: { foundedAt: number; random: Random },
): PutData<'nation'> {
  const { profile } = world.vocabulary
  const government = profile.governments[nation.government]?.key
  const continents = profile.continents
  // A family of names belongs to a continent, with some exceptions.
  const home = (random.chance(0.8) ? nation.family : random.integer(0, 99)) % Math.max(1, continents.length)
  const continent = continents[home]?.key
  return {
    id: nation.id,
    nation_name: nation.name,
    leader_name: nation.leader,
    national_score: nation.score,
    ...statusOf(world, nation),
    ...(government ? { government } : {}),
    ...(continent ? { continent } : {}),
    color: colour(random),
    ...(random.chance(0.85) ? { motto: motto(random) } : {}),
    founded_at: timestamp(foundedAt),
    city_count: nation.cities,
    land_area: nation.land,
    attributes: attributeValues(profile.attributes.nation, random, {
      prestige: nation.prestige,
      family: nation.family,
      since: foundedAt,
      lists: new Random(world.seed, nation.id, 'lists'),
    }),
    military: militaryOf(world, nation),
    economy: economyOf(world, nation),
    production: productionOf(nation),
    player: playerOf(nation),
    ...(random.chance(0.01) ? { moderation_notes: random.pick(moderationNotes) } : {}),
  }
}

/** Some have a status of the game's own. Drawn by the nation, so that no other draw changes. */
export function statusOf({ seed, vocabulary }: WorldState, { id, status }: Pick<Nation, 'id' | 'status'>) {
  const own = vocabulary.profile.nation_statuses?.filter(({ is }) => is === status) ?? []
  const random = new Random(seed, id, 'status')
  return own.length > 0 && random.chance(0.3) ? { game_status: random.pick(own).key } : { status }
}

const moderationNotes = [
  'Name reviewed after a report: fine.',
  'Warned once for insults in a war declaration.',
  'Two accounts on one connection; explained as siblings. Watch.',
  'Appealed a chat mute; mute upheld.',
  'Large gift of credits to a new nation: looked into, no rule broken.',
]

export const militaryOf = ({ vocabulary, forces, reserves }: WorldState, nation: Nation) => ({
  units: counts(vocabulary.fieldUnits, unit => forces.of(nation, unit)),
  reserves: counts(vocabulary.fieldUnits, unit => reserves.of(nation, unit)),
  readiness: nation.readiness,
  strategic: counts(vocabulary.strategicUnits, unit => forces.of(nation, unit)),
})

export const economyOf = ({ vocabulary, stocks }: WorldState, nation: Nation) => ({
  credits: nation.credits,
  resources: counts(vocabulary.goods, good => stocks.of(nation, good)),
})

export const productionOf = (nation: Nation) => ({
  queue: nation.queue.map(({ unit, quantity, completesAt }) => ({
    item: unit.key,
    quantity,
    completes_at: timestamp(completesAt),
  })),
})

/** The attribute for a nation’s war weariness, if the profile has it. */
export const wearinessKey = 'war_weariness'

/** Whether an attribute can have a number of the simulator. */
export const isNumeric = ({ type }: Pick<Attribute, 'type'>) => type === 'integer' || type === 'number'

interface AttributeOwner {
  family: number
  prestige?: number
  since: number
  /** Lists have a stream of their own. */
  lists: Random
}
type AttributeValue = string | number | boolean | string[]

export const prestigeKey = 'prestige'

/** Values of the profile’s attributes, similar to their examples. */
export function attributeValues(
  attributes: readonly Attribute[],
  random: Random,
  owner: AttributeOwner,
): Record<string, AttributeValue> {
  const values: Record<string, AttributeValue> = {}
  for (const attribute of attributes) values[attribute.key] = valueFor(attribute, random, owner)
  return values
}

function valueFor(
  of: Attribute,
  random: Random,
  { family, since, lists, prestige }: AttributeOwner,
): AttributeValue {
  if (of.key === prestigeKey && isNumeric(of) && prestige !== undefined) return prestige
  if (of.key === wearinessKey) return 0
  if (of.type === 'time') return timestamp(since)
  if (of.type === 'boolean') return random.chance(0.5)
  if (of.type === 'strings' || of.type === 'ids') {
    const items = Array.isArray(of.example) ? of.example.map(String) : []
    return lists.sample(items, lists.integer(1, 3))
  }
  if (of.type === 'string') {
    if (/city|capital|headquarter|port|seat|town/.test(of.key)) return placeName(random, family)
    return typeof of.example === 'string' ? of.example : ''
  }
  const example = typeof of.example === 'number' ? of.example : 50
  const around = example * random.range(0.7, 1.15)
  const bounded = /percent|point|%/.test(of.unit ?? '') ? Math.min(99.9, around) : around
  return of.type === 'integer' ? Math.round(bounded) : Math.round(bounded * 10) / 10
}
