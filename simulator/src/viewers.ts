import { playerOf } from './nation.ts'
import type { Nation, WorldState } from './state.ts'

export interface DemoViewer {
  nationId: string
  playerId: string
}

/** Players with different permissions, for the demo. */
export interface DemoViewers {
  /** In no alliance. */
  independent: DemoViewer
  /** A plain member of an alliance. */
  member: DemoViewer
  /** An officer, who sees the treasury. */
  officer: DemoViewer
  leader: DemoViewer
}

/** Requires that the history has been consumed. Throws if the world is too small for all four. */
export function demoViewers({ state }: { readonly state: WorldState }): DemoViewers {
  const { memberRank } = state.vocabulary
  // Nations with wars and assignments show the most.
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
