import { columnsOf, type HeldBack, type KnownView, type KnownViews } from './known-view.ts'
import type { RoundPlan, ViewPlan } from './plan.ts'
import type { ReadView } from './read-views.ts'
import type { Item, RefusedItem } from './round.ts'
import type { SentRound } from './send-round.ts'

/** Takes note of what was applied. Returns the refused batches that are of no interest any more. */
export function takeNote(
  known: KnownViews,
  { view, known: before, isWhole, items }: ViewPlan,
  { refused, heldBack }: Pick<SentRound, 'refused' | 'heldBack'>,
): string[] {
  const now: KnownView = before ?? { columns: [], hashes: new Map(), aside: new Map() }
  now.columns = columnsOf(view)
  known.set(view.resource, now)
  if (isWhole) noteSnapshot(now, view, heldBack.get(view.resource))
  return items.flatMap(item => noteItem(now, item, refused.get(item)) ?? [])
}

function noteSnapshot(now: KnownView, { hashes }: ReadView, heldBack: HeldBack | undefined): void {
  if (heldBack) {
    now.refusedSnapshot = { ...heldBack, atMs: performance.now() }
    return
  }
  delete now.refusedSnapshot
  for (const key of now.hashes.keys()) if (!hashes.has(key)) now.hashes.delete(key)
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
