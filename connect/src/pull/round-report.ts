import type { FactResource } from '@chancery/contract'
import type { RoundPlan, ViewPlan } from './plan.ts'
import { type Item, problemsOf, type RefusedItem, type RowProblem } from './round.ts'
import type { SentRound } from './send-round.ts'

/** What a round has said of one view. */
export interface ViewReport {
  /** Whether it was told in whole: the first round, and each after one whose end is not known. */
  is_whole: boolean
  new: number
  changed: number
  deleted: number
  /** Rows that wait because the service refuses them. */
  aside: number
  /** Rows that are gone and are not deleted, because they are so many that it is taken for a mistake. Null where their number is not known. */
  held_back: number | null
}

/** What became of a round with changes. */
export interface RoundReport {
  at: string
  feed: string
  batch: string | null
  facts: number
  events: number
  views: Partial<Record<FactResource, ViewReport>>
  /** All that is wrong with rows that were set aside. */
  refused: RowProblem[]
}

/** Asked before what was told is taken note of. */
export function roundReport(feed: string, plan: RoundPlan, sent: SentRound): RoundReport {
  const { outcome, refused } = sent
  return {
    at: new Date().toISOString(),
    feed,
    batch: outcome?.batch ?? null,
    facts: outcome?.facts ?? 0,
    events: outcome?.events ?? 0,
    views: Object.fromEntries(plan.views.map(view => [view.view.resource, viewReport(view, sent)])),
    refused: newlyRefused(plan, refused),
  }
}

function viewReport({ view, known, isWhole, items }: ViewPlan, { refused, heldBack }: SentRound): ViewReport {
  const told = items.filter(item => !refused.has(item))
  const puts = told.filter(({ op }) => op === 'put')
  const changed = isWhole ? 0 : puts.filter(({ key }) => known?.hashes.has(key)).length
  const someHeldBack = heldBack.get(view.resource)
  return {
    is_whole: isWhole,
    new: puts.length - changed,
    changed,
    deleted: told.length - puts.length,
    aside: items.length - told.length + view.doubled.size,
    held_back: someHeldBack ? someHeldBack.missing : 0,
  }
}

/** Those that were not refused before as they are. */
function newlyRefused({ views }: RoundPlan, refused: Map<Item, RefusedItem>): RoundReport['refused'] {
  return [...refused.values()]
    .filter(({ op, resource, key, hash }) => {
      const known = views.find(({ view }) => view.resource === resource)?.known
      return op === 'delete' || known?.aside.get(key)?.hash !== hash
    })
    .flatMap(problemsOf)
}
