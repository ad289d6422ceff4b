import { columnsOf, type KnownView, type KnownViews } from './known-view.ts'
import type { RoundPlan, ViewPlan } from './plan.ts'
import type { Item, RefusedItem } from './round.ts'

/** Takes note of what was applied. Returns the refused batches that are of no interest any more. */
export function takeNote(
  known: KnownViews,
  { view, known: before, items }: ViewPlan,
  refused: Map<Item, RefusedItem>,
): string[] {
  const now: KnownView = before ?? { columns: [], hashes: new Map(), aside: new Map() }
  now.columns = columnsOf(view)
  known.set(view.resource, now)
  return items.flatMap(item => noteItem(now, item, refused.get(item)) ?? [])
}

function noteItem(now: KnownView, { op, key, hash, line }: Item, refusal: RefusedItem | undefined) {
  const aside = now.aside.get(key)
  if (op === 'delete') {
    now.hashes.delete(key)
    return undefined
  }
  if (!refusal) {
    now.hashes.set(key, hash)
    now.aside.delete(key)
    return aside?.keptAs
  }
  if (aside?.hash === hash) return undefined
  now.aside.set(key, { hash, line, keptAs: null })
  return aside?.keptAs
}

/** Rows that are set aside and are gone, or are again what they were, wait for nothing. Returns their refused batches. */
export function tidyAside(known: KnownViews, { views }: RoundPlan): string[] {
  const dropped: string[] = []
  for (const { view } of views) {
    const { aside } = known.get(view.resource) ?? {}
    for (const [key, { hash, keptAs }] of aside ?? []) {
      if (view.hashes.get(key) === hash) continue
      aside?.delete(key)
      if (keptAs !== null) dropped.push(keptAs)
    }
  }
  return dropped
}
