import type { Link, Rule } from '../store.ts'

/** Where a nation stands: all that rules ask. */
export type Standing = Pick<Link, 'allianceId' | 'rank'>

/** The roles that are due by the rules of a guild. Null stands for somebody who holds no nation. */
export function rolesDue(standing: Standing | null, rules: Rule[]): Set<string> {
  if (standing === null) return new Set()
  return new Set(rules.filter(rule => applies(rule, standing)).map(({ role }) => role))
}

const applies = ({ allianceId, rank }: Rule, standing: Standing): boolean =>
  (allianceId === null || allianceId === standing.allianceId) && (rank === null || rank === standing.rank)

export interface Changes {
  give: string[]
  take: string[]
}

/** What to do so that somebody has the roles that are due. A role that no rule names is nobody's business here. */
export function roleChanges(held: Iterable<string>, due: Set<string>, rules: Rule[]): Changes {
  const has = new Set(held)
  const ruled = new Set(rules.map(({ role }) => role))
  return {
    give: [...due].filter(role => !has.has(role)),
    take: [...ruled].filter(role => has.has(role) && !due.has(role)),
  }
}
