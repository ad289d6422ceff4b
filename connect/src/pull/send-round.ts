import { randomUUID } from 'node:crypto'
import { type FactResource, snapshotGapsIn } from '@chancery/contract'
import { commitLine } from '../batch-text.ts'
import type { BatchOutcome, Door } from '../door.ts'
import { ConnectError } from '../errors.ts'
import { sendBatch } from '../feed.ts'
import { findCulprit } from './find-culprit.ts'
import type { HeldBack } from './known-view.ts'
import { plannedHeldBack, type RoundPlan, type ViewPlan } from './plan.ts'
import {
  type Item,
  isKey,
  problemsOf,
  type RefusedItem,
  rowProblemText,
  ruleOf,
  snapshotLine,
} from './round.ts'

/** Of so few rows, none is taken for a sign that the view has changed. */
const oddRowsMax = 10
/** More keys than that no snapshot takes as exceptions. */
const asideMax = 1_000

export interface SendRoundOptions {
  feed: string
  after: string | null
  allowsDeletes: boolean
  isCheck: boolean
}

export interface SentRound {
  /** Undefined where nothing was left to send. */
  outcome: BatchOutcome | undefined
  refused: Map<Item, RefusedItem>
  /** By view whose deletions were left out of the round, how many they are. */
  heldBack: Map<FactResource, HeldBack>
}

/**
 * Sends a round as one batch. Rows that are refused are taken out, and so are the deletions of a view that lacks too many rows;
 * the rest is tried again, until it is applied.
 * Throws a ConnectError where so many are refused that the view must have changed: then nothing of the round is applied.
 */
export async function sendRound(
  door: Door,
  { views }: RoundPlan,
  { feed, after, allowsDeletes, isCheck }: SendRoundOptions,
): Promise<SentRound> {
  const refused = new Map<Item, RefusedItem>()
  const heldBack = plannedHeldBack({ views })
  for (;;) {
    const sent = views.flatMap(plan => itemsOf(plan, refused, { allowsDeletes, heldBack }))
    if (sent.length === 0) return { outcome: undefined, refused, heldBack }
    const batch = `${feed}:${randomUUID()}`
    // What is there when a game is connected is its past: no receiver is told of it as news.
    const commit = commitLine(batch, {
      ...(isCheck ? {} : { feed: { name: feed, after } }),
      ...(after === null ? { announce: false as const } : {}),
    })
    const outcome = await sendBatch(door, [...sent.map(({ line }) => line), commit], {
      isCheck,
      isKept: false,
    })
    if (outcome.status !== 'refused') return { outcome, refused, heldBack }
    for (const refusal of outcome.refused) {
      const item = refusal.line > 0 ? sent[refusal.line - 1] : await findCulprit(door, sent)
      const tooMany = item?.op === 'snapshot' ? snapshotGapsIn(refusal.reason) : undefined
      if (item && tooMany) {
        heldBack.set(item.resource, tooMany)
        continue
      }
      if (!item || item.op === 'snapshot') throw refusedWhole(views, item, refusal.reason)
      const { line: _line, ...problem } = refusal
      const known = refused.get(item)
      if (known) known.others.push(problem)
      else refused.set(item, { ...item, ...problem, others: [] })
    }
    if (outcome.refused.length === 0) throw refusedWhole(views, undefined, 'without a reason')
    for (const plan of views) refuseStrange(plan, causesOf(views, [...refused.values()]))
  }
}

function itemsOf(
  { view, isWhole, isKept, items }: ViewPlan,
  refused: Map<Item, RefusedItem>,
  { allowsDeletes, heldBack }: { allowsDeletes: boolean; heldBack: Map<FactResource, HeldBack> },
): Item[] {
  const kept = items.filter(item => !refused.has(item))
  if (!isWhole || isKept || heldBack.has(view.resource)) return kept
  const aside = [...items.filter(item => refused.has(item)).map(({ key }) => key), ...view.doubled]
  const line = snapshotLine(view.resource, aside.filter(isKey), allowsDeletes)
  return [{ op: 'snapshot', resource: view.resource, key: '', hash: '', line }, ...kept]
}

function refusedWhole(views: ViewPlan[], item: Item | undefined, reason: string): ConnectError {
  const view = views.find(plan => plan.view.resource === item?.resource)?.view.name
  return new ConnectError(`the service refuses ${view ?? 'the round'} as a whole: ${reason}`)
}

/** What is refused for itself: a row that only waits for another one, which is refused or left out, says nothing of its view. */
function causesOf(views: ViewPlan[], refused: RefusedItem[]): RefusedItem[] {
  const missing = new Set([
    ...refused.map(({ resource, key }) => `${resource} ${key}`),
    ...views.flatMap(({ view }) => [...view.doubled].map(key => `${view.resource} ${key}`)),
  ])
  return refused.filter(({ reason }) => {
    const awaited = /^there is no (\S+ \S+)$/.exec(reason)?.[1]
    return awaited === undefined || !missing.has(awaited)
  })
}

/** Throws where a rule is broken by so many rows of a view that the view, and not a row, is at fault. */
function refuseStrange({ view }: ViewPlan, refused: RefusedItem[]): void {
  const ofView = refused.filter(({ resource }) => resource === view.resource)
  const byRule = Map.groupBy(ofView.flatMap(problemsOf), ruleOf)
  for (const same of byRule.values()) {
    const [first] = same
    const rows = new Set(same.map(({ key }) => key)).size
    if (!first || rows <= oddRowsMax || rows * 10 <= view.hashes.size) continue
    throw new ConnectError(
      `${view.name}: more than a tenth of its ${view.hashes.size} rows are refused for the same reason, so that nothing of this round was applied: ${rowProblemText(first)}. Mend the view, and start chancery pull again`,
    )
  }
  if (ofView.length + view.doubled.size > asideMax) {
    const [first] = ofView.flatMap(problemsOf)
    throw new ConnectError(
      `${view.name}: more than ${asideMax} rows cannot be taken, so that nothing of this round was applied${first ? `; the first is ${rowProblemText(first)}` : ''}`,
    )
  }
}
