import type { FactResource } from '@chancery/contract'
import type { BatchOutcome } from '../door.ts'
import type { RoundPlan, ViewPlan } from './plan.ts'
import type { Item, RefusedItem } from './round.ts'

/** What a round has said of one view. */
export interface ViewReport {
  /** Whether it was told in whole: the first round, and each after one whose end is not known. */
  is_whole: boolean
  new: number
  changed: number
  deleted: number
  /** Rows that wait because the service refuses them. */
  aside: number
}

/** What became of a round with changes. */
export interface RoundReport {
  at: string
  feed: string
  batch: string | null
  facts: number
  events: number
  views: Partial<Record<FactResource, ViewReport>>
  refused: { resource: FactResource; key: string; path: string; reason: string }[]
}

/** Asked before what was told is taken note of. */
export function roundReport(
  feed: string,
  plan: RoundPlan,
  { outcome, refused }: { outcome: BatchOutcome | undefined; refused: Map<Item, RefusedItem> },
): RoundReport {
  return {
    at: new Date().toISOString(),
    feed,
    batch: outcome?.batch ?? null,
    facts: outcome?.facts ?? 0,
    events: outcome?.events ?? 0,
    views: Object.fromEntries(plan.views.map(view => [view.view.resource, viewReport(view, refused)])),
    refused: newlyRefused(plan, refused),
  }
}

function viewReport({ view, known, items }: ViewPlan, refused: Map<Item, RefusedItem>): ViewReport {
  const told = items.filter(item => !refused.has(item))
  const puts = told.filter(({ op }) => op === 'put')
  const changed = puts.filter(({ key }) => known?.hashes.has(key)).length
  return {
    is_whole: known === undefined,
    new: puts.length - changed,
    changed,
    deleted: told.length - puts.length,
    aside: items.length - told.length + view.doubled.size,
  }
}

/** Those that were not refused before as they are. */
function newlyRefused({ views }: RoundPlan, refused: Map<Item, RefusedItem>): RoundReport['refused'] {
  return [...refused.values()]
    .filter(({ op, resource, key, hash }) => {
      const known = views.find(({ view }) => view.resource === resource)?.known
      return op === 'delete' || known?.aside.get(key)?.hash !== hash
    })
    .map(({ resource, key, path, reason }) => ({ resource, key, path, reason }))
}
