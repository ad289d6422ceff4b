import { contractFor, demoProfile } from '@chancery/contract'

const { game, key } = contractFor(demoProfile).resources

/** What each recording would say differently, and what is shown instead: mostly the contract's own example. */
const settled: Record<string, Record<string, unknown>> = {
  Game: { world_changed_at: game.fields.world_changed_at.examples[0] },
  Key: {
    id: key.fields.id.examples[0],
    remaining: key.fields.remaining.examples[0],
    created_at: key.fields.created_at.examples[0],
    last_used_at: key.fields.last_used_at.examples[0],
  },
  // A world that is made at midnight has a yesterday.
  NationRanking: { previous_rank: null },
  AllianceRanking: { previous_rank: null },
}

/** The body of an answer: one thing, or a page of things. */
export interface Answer {
  data: object | object[]
}

/** An answer as it is shown: the same whenever it is recorded. */
export function settle(component: string, answer: Answer): Answer {
  const shown = (thing: object) => ({ ...thing, ...settled[component] })
  const { data } = answer
  return { ...answer, data: Array.isArray(data) ? data.map(shown) : shown(data) }
}
