import { daySeconds, hourSeconds, minuteSeconds } from './calendar.ts'
import { priceOf } from './market.ts'
import { addCities, cents, targetScore } from './nation.ts'
import type { Random } from './random.ts'
import { dirtyPart, markDirty } from './report.ts'
import type { Nation, WorldState } from './state.ts'
import type { Step } from './step.ts'
import { cityWorth, type Unit } from './vocabulary.ts'

const ordersMax = 3
const reportEveryDays = 3

/** Updates nations. In history each reports every third day; in a tick only those that fought, and a few more. */
export function updateEconomy(step: Step) {
  const { world, isLive } = step
  const random = step.random('economy')
  if (isLive) {
    for (const nation of [...step.dirtyNations]) updateNationEconomy(step, nation, random)
    for (let few = random.integer(2, 5); few > 0; few--)
      updateNationEconomy(step, random.pick(world.nations), random)
    return
  }
  const day = Math.round((step.until - world.startsAt) / daySeconds)
  const { nations } = world
  for (let index = day % reportEveryDays; index < nations.length; index += reportEveryDays) {
    const nation = nations[index]
    if (nation) updateNationEconomy(step, nation, random)
  }
}

/** Updates one nation’s money, goods, forces and score to the end of the step. */
function updateNationEconomy(step: Step, nation: Nation, random: Random) {
  const { world } = step
  // At most a week since the last update counts.
  const days = Math.min(7, (world.elapsed - nation.updatedUntil) / 1000)
  if (days <= 0) return
  nation.updatedUntil = world.elapsed
  if (nation.status === 'vacation') return
  const effort = nation.status === 'inactive' ? 0.25 : 1
  completeOrders(step, nation)
  earn(world, nation, days * effort, random)
  if (effort === 1) {
    orderUnits(step, nation, random)
    foundCity(step, nation)
  }
  const isAtWar = nation.offensiveWars + nation.defensiveWars > 0
  const rest = isAtWar ? 62 : 93
  nation.readiness = rounded(
    clamp(
      nation.readiness + (rest - nation.readiness) * 0.2 * days + random.normal() * Math.min(1, days),
      5,
      100,
    ),
  )
  const weariness = Math.round(clamp(nation.weariness + (isAtWar ? 1.2 : -2.5) * days, 0, 100))
  if (weariness !== nation.weariness) markDirty(step, nation, dirtyPart.weariness)
  nation.weariness = weariness
  const score = cents(nation.score + (targetScore(world, nation) - nation.score) * Math.min(0.3, 0.05 * days))
  if (score !== nation.score) markDirty(step, nation, dirtyPart.score)
  nation.score = score
  markDirty(step, nation, dirtyPart.economy | dirtyPart.military)
}

export const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value))
const rounded = (value: number) => Math.round(value * 10) / 10

function completeOrders(step: Step, nation: Nation) {
  const { forces } = step.world
  const done = nation.queue.filter(entry => entry.completesAt <= step.until)
  if (done.length === 0) return
  for (const { unit, quantity } of done) forces.add(nation, unit, quantity)
  nation.queue = nation.queue.filter(entry => entry.completesAt > step.until)
  markDirty(step, nation, dirtyPart.military | dirtyPart.production)
}

/** Taxes and upkeep; goods that are produced, consumed, and traded to keep a stock. */
function earn(world: WorldState, nation: Nation, days: number, random: Random) {
  const { vocabulary, market, forces, stocks } = world
  let income = nation.cities * cityWorth * 1.8 * nation.richness * days * random.range(0.85, 1.15)
  for (const unit of vocabulary.fieldUnits) {
    income -= forces.of(nation, unit) * unit.cost * 0.0025 * days
  }
  for (const good of vocabulary.goods) {
    const own =
      (nation.mainGood === good ? good.yieldPerCity : 0) +
      (nation.sideGood === good ? good.yieldPerCity * 0.5 : 0)
    const flow = (own * nation.richness - good.needPerCity) * nation.cities * days
    const stock = stocks.of(nation, good)
    const wanted = good.needPerCity * nation.cities * 20
    const bought = (wanted - stock) * Math.min(0.9, 0.12 * days) - flow * 0.7
    const price = priceOf(market, good)
    const affordable = bought > 0 ? Math.min(bought, Math.max(0, nation.credits * 0.2) / price) : bought
    stocks.set(nation, good, Math.max(0, stock + flow + affordable))
    income -= affordable * price
  }
  nation.credits = Math.max(0, Math.round(nation.credits + income))
}

/** Orders the units that are missing most, for at most a quarter of the money. */
function orderUnits(step: Step, nation: Nation, random: Random) {
  if (nation.queue.length >= ordersMax) return
  const { vocabulary, forces } = step.world
  let chosen: Unit | undefined
  let worst = nation.offensiveWars + nation.defensiveWars > 0 ? 1.05 : 0.9
  for (const unit of vocabulary.units) {
    if (unit.domain === 'strategic' && nation.score < 1100) continue
    const wanted = unit.perPoint * nation.score * 0.95
    if (wanted < 1) continue
    const share = (forces.of(nation, unit) / wanted) * random.range(0.7, 1.3)
    if (share < worst) {
      worst = share
      chosen = unit
    }
  }
  if (!chosen) return
  const wanted = chosen.perPoint * nation.score
  const quantity = Math.floor(
    Math.min(wanted * random.range(0.05, 0.2) + 1, (nation.credits * 0.25) / chosen.cost),
  )
  if (quantity < 1) return
  nation.credits -= quantity * chosen.cost
  const hours = chosen.domain === 'strategic' ? random.integer(60, 140) : random.integer(6, 60)
  const completesAt =
    Math.floor(step.until / minuteSeconds) * minuteSeconds +
    hours * (step.isLive ? minuteSeconds : hourSeconds)
  nation.queue = [...nation.queue, { unit: chosen, quantity, completesAt }].sort(
    (one, other) => one.completesAt - other.completesAt,
  )
  markDirty(step, nation, dirtyPart.production | dirtyPart.economy)
}

/** Founds a city if there is enough money. */
function foundCity(step: Step, nation: Nation) {
  const cost = 150_000 + 16_000 * nation.cities ** 2
  if (nation.credits < cost * 1.6) return
  nation.credits -= cost
  nation.cities++
  nation.land += 700 + ((nation.cities * 131) % 900)
  addCities(step.world, nation, 1)
  markDirty(step, nation, dirtyPart.size)
}
