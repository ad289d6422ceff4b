import { passAlliances } from './alliances.ts'
import { fightBattles } from './battles.ts'
import { wageConflicts } from './conflicts.ts'
import { strikeDisasters } from './disasters.ts'
import { liveOn } from './economy.ts'
import { turnEra } from './eras.ts'
import type { Fact } from './fact.ts'
import { changeOf, marketRows, trade } from './market.ts'
import { moveMembers } from './membership.ts'
import { passLives } from './nation-life.ts'
import { publishNews } from './news/newsroom.ts'
import { reportNations } from './report.ts'
import { put, type Step } from './step.ts'
import { launchWeapons } from './strategic.ts'
import { negotiate } from './treaties.ts'
import { declareWars, endWars } from './wars.ts'

/** What a step takes from the plan of a history. Ticks have none: chance decides. */
export interface Plan {
  day: number
  conflicts: { startsOn: number; endsOn: number }[]
  eraTurnsOn: number
}

/**
 * Everything that happens in a step. The order matters: what goes, goes first, so that nothing later in the step
 * refers to it; wars end before battles are fought; each nation is told once, at the end.
 */
export function* passTime(step: Step, plan: Plan | null): Generator<Fact[]> {
  step.world.lived += Math.max(1, Math.round(step.days * 1000))
  passLives(step)
  passAlliances(step)
  moveMembers(step)
  if (plan && plan.day === plan.eraTurnsOn) turnEra(step)
  else wageConflicts(step, plan?.conflicts ?? [], plan?.day ?? null)
  negotiate(step)
  endWars(step)
  declareWars(step)
  fightBattles(step)
  launchWeapons(step)
  strikeDisasters(step)
  tradeOn(step)
  publishNews(step)
  liveOn(step)
  yield* reportNations(step)
}

function tradeOn(step: Step) {
  const { world, from, until } = step
  const { market, vocabulary } = world
  const warShare = Math.min(1, (2 * world.wars.length) / Math.max(1, world.nations.length))
  trade(market, step.random('market'), { from, until, warShare })
  for (const row of marketRows(market, vocabulary.profile.currency.key, until)) {
    put(step, 'market_price', row, until)
  }
  for (const book of market.books) {
    const percent = changeOf(book)
    if (Math.abs(percent) < 4.5 || step.isLive) continue
    step.happenings.push({ kind: 'price_moved', at: until, good: book.good, price: book.price, percent })
  }
}
