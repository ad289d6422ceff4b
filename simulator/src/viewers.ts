import { playerOf } from './nation.ts'
import type { Nation, WorldState } from './state.ts'

export interface DemoViewer {
  nationId: string
  playerId: string
}

/** Players with different rights, for demonstrations. */
export interface DemoViewers {
  /** In no alliance. */
  independent: DemoViewer
  /** A plain member of an alliance. */
  member: DemoViewer
  /** An officer, who sees the treasury. */
  officer: DemoViewer
  leader: DemoViewer
}

/** Call it when the history has been consumed. Throws where the world is too small to have all four. */
export function demoViewers({ state }: { readonly state: WorldState }): DemoViewers {
  const { memberRank } = state.vocabulary
  // Those at war and with work in hand have the most to show.
  const interest = (nation: Nation) =>
    nation.offensiveWars + nation.defensiveWars + (nation.queue.length > 0 ? 0.5 : 0)
  const best = (role: string, fits: (nation: Nation) => boolean): DemoViewer => {
    let found: Nation | undefined
    for (const nation of state.nations) {
      if (nation.status !== 'active' || nation.seesTreasury !== null || !fits(nation)) continue
      if (!found || interest(nation) > interest(found)) found = nation
    }
    if (!found) throw new Error(`This world has no nation that is ${role}.`)
    return { nationId: found.id, playerId: playerOf(found) }
  }
  return {
    independent: best('independent', ({ alliance, appliesTo }) => alliance === null && appliesTo === null),
    member: best('a plain member', ({ rank }) => rank === memberRank),
    officer: best('an officer', ({ rank }) => rank?.tier === 'officer'),
    leader: best('a leader', ({ rank }) => rank?.tier === 'leader'),
  }
}
