import type { Battle } from './battles.ts'

/** What a conflict or a war is known by here: the first and the last of its battles. */
export interface Span {
  name: string
  first: Battle
  last: Battle
}

/** Groups battles, which stand in the order of time, by a name of theirs. */
export function spansBy(battles: readonly Battle[], nameOf: (battle: Battle) => string): Span[] {
  const spans = new Map<string, Span>()
  for (const battle of battles) {
    const name = nameOf(battle)
    const span = spans.get(name)
    if (span) span.last = battle
    else spans.set(name, { name, first: battle, last: battle })
  }
  return [...spans.values()]
}
