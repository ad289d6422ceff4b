import { randomUUID } from 'node:crypto'
import { type BatchOutcome, type FactResource, snapshotGapsIn } from '@chancery/contract'
import { ConnectError } from '../errors.ts'
import { commitLine, type ServiceClient, sendBatch } from '../service-client.ts'
import type { HeldBackDeletes } from './known-views.ts'
import {
  isKey,
  problemsOf,
  type RejectedItem,
  type RoundItem,
  rowProblemText,
  ruleOf,
  snapshotLine,
} from './round.ts'
import { plannedHeldBack, type RoundPlan, type ViewPlan } from './round-plan.ts'

/** Up to this number, rejected rows never fail a round. */
const rejectedRowsMin = 10
/** The most exceptions of one snapshot. */
const quarantineMax = 1_000

export interface SendRoundOptions {
  feed: string
  after: string | null
  allowsDeletes: boolean
  isCheck: boolean
}

export interface SentRound {
  /** Undefined if nothing was left to send. */
  outcome: BatchOutcome | undefined
  rejected: Map<RoundItem, RejectedItem>
  /** By view, the deletions that were left out of the round. */
  heldBack: Map<FactResource, HeldBackDeletes>
}

/**
 * Sends a round as one batch, applied whole or not at all. Rejected rows are taken out, and so are the deletions of a view that
 * lacks too many rows; the rest is sent again, until it is applied.
 * Throws a ConnectError if so many rows are rejected that the view must be wrong: nothing of the round is applied then.
 */
export async function sendRound(
  client: ServiceClient,
  { views }: RoundPlan,
  { feed, after, allowsDeletes, isCheck }: SendRoundOptions,
): Promise<SentRound> {
  const rejected = new Map<RoundItem, RejectedItem>()
  const heldBack = plannedHeldBack({ views })
  for (;;) {
    const sent = views.flatMap(plan => itemsOf(plan, rejected, { allowsDeletes, heldBack }))
    if (sent.length === 0) return { outcome: undefined, rejected, heldBack }
    const batch = `${feed}:${randomUUID()}`
    // The first batch of a feed is the history of the game: it is not pushed as news.
    const commit = commitLine(batch, {
      ...(isCheck ? {} : { feed: { name: feed, after } }),
      ...(after === null ? { announce: false as const } : {}),
    })
    const outcome = await sendBatch(client, [...sent.map(({ line }) => line), commit], {
      isCheck,
      isKept: false,
    })
    if (outcome.status !== 'refused') return { outcome, rejected, heldBack }
    for (const rejection of outcome.refused) {
      const item = rejection.line > 0 ? sent[rejection.line - 1] : await bisectRejected(client, sent)
      const tooMany = item?.op === 'snapshot' ? snapshotGapsIn(rejection.reason) : undefined
      if (item && tooMany) {
        heldBack.set(item.resource, tooMany)
        continue
      }
      if (!item || item.op === 'snapshot') throw rejectedWhole(views, item, rejection.reason)
      const { line: _line, ...problem } = rejection
      const known = rejected.get(item)
      if (known) known.others.push(problem)
      else rejected.set(item, { ...item, ...problem, others: [] })
    }
    if (outcome.refused.length === 0) throw rejectedWhole(views, undefined, 'without a reason')
    for (const plan of views) assertRejectionRate(plan, causesOf(views, [...rejected.values()]))
  }
}

function itemsOf(
  { view, isWhole, keepsRows, items }: ViewPlan,
  rejected: Map<RoundItem, RejectedItem>,
  { allowsDeletes, heldBack }: { allowsDeletes: boolean; heldBack: Map<FactResource, HeldBackDeletes> },
): RoundItem[] {
  const kept = items.filter(item => !rejected.has(item))
  if (!isWhole || keepsRows || heldBack.has(view.resource)) return kept
  const quarantined = [
    ...items.filter(item => rejected.has(item)).map(({ key }) => key),
    ...view.duplicateKeys,
  ]
  const line = snapshotLine(view.resource, quarantined.filter(isKey), allowsDeletes)
  return [{ op: 'snapshot', resource: view.resource, key: '', hash: '', line }, ...kept]
}

function rejectedWhole(views: ViewPlan[], item: RoundItem | undefined, reason: string): ConnectError {
  const view = views.find(plan => plan.view.resource === item?.resource)?.view.name
  return new ConnectError(`the service rejects ${view ?? 'the round'} as a whole: ${reason}`)
}

/** Rows that are rejected for their own values: not those that only refer to a row which is rejected or skipped. */
function causesOf(views: ViewPlan[], rejected: RejectedItem[]): RejectedItem[] {
  const missing = new Set([
    ...rejected.map(({ resource, key }) => `${resource} ${key}`),
    ...views.flatMap(({ view }) => [...view.duplicateKeys].map(key => `${view.resource} ${key}`)),
  ])
  return rejected.filter(({ reason }) => {
    const awaited = /^there is no (\S+ \S+)$/.exec(reason)?.[1]
    return awaited === undefined || !missing.has(awaited)
  })
}

/** Throws if so many rows of a view violate one rule that the view is at fault, not a row. */
function assertRejectionRate({ view }: ViewPlan, rejected: RejectedItem[]): void {
  const ofView = rejected.filter(({ resource }) => resource === view.resource)
  const byRule = Map.groupBy(ofView.flatMap(problemsOf), ruleOf)
  for (const same of byRule.values()) {
    const [first] = same
    const rows = new Set(same.map(({ key }) => key)).size
    if (!first || rows <= rejectedRowsMin || rows * 10 <= view.hashes.size) continue
    throw new ConnectError(
      `${view.name}: more than a tenth of its ${view.hashes.size} rows are rejected for the same reason: nothing of this round was applied: ${rowProblemText(first)}. Correct the view, and start chancery pull again`,
    )
  }
  if (ofView.length + view.duplicateKeys.size > quarantineMax) {
    const [first] = ofView.flatMap(problemsOf)
    throw new ConnectError(
      `${view.name}: more than ${quarantineMax} rows are rejected: nothing of this round was applied${first ? `; the first is ${rowProblemText(first)}` : ''}`,
    )
  }
}

/**
 * Bisects a batch that is rejected as a whole without naming a line. Lines are in the order of their references, so that each
 * prefix of the batch can be checked alone. Undefined if no line is at fault.
 */
async function bisectRejected(client: ServiceClient, items: RoundItem[]): Promise<RoundItem | undefined> {
  const lines = items.filter(({ op }) => op !== 'snapshot')
  const isRejected = async (count: number) => {
    const prefix = lines.slice(0, count).map(({ line }) => line)
    const outcome = await sendBatch(client, [...prefix, commitLine(randomUUID())], { isCheck: true })
    return outcome.status === 'refused' && outcome.refused.some(({ line }) => line === 0)
  }
  if (!(await isRejected(lines.length))) return undefined
  let [good, bad] = [0, lines.length]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (await isRejected(middle)) bad = middle
    else good = middle
  }
  return lines[bad - 1]
}
