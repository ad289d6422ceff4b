import type { FactResource } from '@chancery/contract'
import type { HeldBackDeletes, KnownView, KnownViews } from './known-views.ts'
import { problemsOf, type RejectedItem, type RoundItem, type RowProblem } from './round.ts'
import type { RoundPlan, ViewPlan } from './round-plan.ts'
import type { SentRound } from './send-round.ts'
import type { ReadView } from './view-reader.ts'

/** What a round has sent of one view. */
export interface ViewReport {
  /** Whether all rows were sent as a snapshot: in the first round, and after each reset. */
  is_whole: boolean
  new: number
  changed: number
  deleted: number
  /** Rows that are quarantined because the service rejects them. The name is part of the JSON format. */
  aside: number
  /** Missing rows that are not deleted because there are too many. Null if their number is unknown. */
  held_back: number | null
}

/** The result of a round with changes. */
export interface RoundReport {
  at: string
  feed: string
  batch: string | null
  facts: number
  events: number
  views: Partial<Record<FactResource, ViewReport>>
  /** All problems of newly quarantined rows. */
  refused: RowProblem[]
}

/** Call it before the state is committed. */
export function roundReport(feed: string, plan: RoundPlan, sent: SentRound): RoundReport {
  const { outcome, rejected } = sent
  return {
    at: new Date().toISOString(),
    feed,
    batch: outcome?.batch ?? null,
    facts: outcome?.facts ?? 0,
    events: outcome?.events ?? 0,
    views: Object.fromEntries(plan.views.map(view => [view.view.resource, viewReport(view, sent)])),
    refused: newlyRejected(plan, rejected),
  }
}

function viewReport(
  { view, known, isWhole, items }: ViewPlan,
  { rejected, heldBack }: SentRound,
): ViewReport {
  const sent = items.filter(item => !rejected.has(item))
  const puts = sent.filter(({ op }) => op === 'put')
  const changed = isWhole ? 0 : puts.filter(({ key }) => known?.hashes.has(key)).length
  const heldBackDeletes = heldBack.get(view.resource)
  return {
    is_whole: isWhole,
    new: puts.length - changed,
    changed,
    deleted: sent.length - puts.length,
    aside: items.length - sent.length + view.duplicateKeys.size,
    held_back: heldBackDeletes ? heldBackDeletes.missing : 0,
  }
}

/** Without rows that were rejected before and have not changed. */
function newlyRejected({ views }: RoundPlan, rejected: Map<RoundItem, RejectedItem>): RoundReport['refused'] {
  return [...rejected.values()]
    .filter(({ op, resource, key, hash }) => {
      const known = views.find(({ view }) => view.resource === resource)?.known
      return op === 'delete' || known?.quarantined.get(key)?.hash !== hash
    })
    .flatMap(problemsOf)
}

/** Records what was applied of one view. Returns the quarantined batches that are obsolete. */
export function commitState(
  known: KnownViews,
  { view, known: before, isWhole, items }: ViewPlan,
  { rejected, heldBack }: Pick<SentRound, 'rejected' | 'heldBack'>,
): string[] {
  const state: KnownView = before ?? { columns: [], hashes: new Map(), quarantined: new Map() }
  state.columns = view.columns
  known.set(view.resource, state)
  if (isWhole) commitSnapshot(state, view, heldBack.get(view.resource))
  return items.flatMap(item => commitItem(state, item, rejected.get(item)) ?? [])
}

function commitSnapshot(state: KnownView, { hashes }: ReadView, heldBack: HeldBackDeletes | undefined): void {
  if (heldBack) {
    state.rejectedSnapshot = { ...heldBack, atMs: performance.now() }
    return
  }
  delete state.rejectedSnapshot
  for (const key of state.hashes.keys()) if (!hashes.has(key)) state.hashes.delete(key)
}

function commitItem(
  state: KnownView,
  { op, key, hash, line }: RoundItem,
  rejection: RejectedItem | undefined,
) {
  const quarantined = state.quarantined.get(key)
  if (op === 'delete') {
    state.hashes.delete(key)
    return undefined
  }
  if (!rejection) {
    state.hashes.set(key, hash)
    state.quarantined.delete(key)
    return quarantined?.keptAs
  }
  if (quarantined?.hash === hash) return undefined
  state.quarantined.set(key, { hash, line, keptAs: null })
  return quarantined?.keptAs
}

/** Releases quarantined rows that have disappeared or changed. Returns their batches. */
export function releaseChanged(known: KnownViews, { views }: RoundPlan): string[] {
  const released: string[] = []
  for (const { view } of views) {
    const { quarantined } = known.get(view.resource) ?? {}
    for (const [key, { hash, keptAs }] of quarantined ?? []) {
      if (view.hashes.get(key) === hash) continue
      quarantined?.delete(key)
      if (keptAs !== null) released.push(keptAs)
    }
  }
  return released
}
