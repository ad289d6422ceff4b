import type { Contract, FactResource } from '@chancery/contract'
import type { Door } from '../door.ts'
import { openGame } from '../game-database.ts'
import { usualPacing } from '../keep-going.ts'
import { otherProfile } from '../other-profile.ts'
import { complaintsOf, heldBackTexts } from './complaints.ts'
import { planRound } from './plan.ts'
import { ViewReader } from './read-views.ts'
import { problemsOf, type RowProblem } from './round.ts'
import { sendRound } from './send-round.ts'

/** What a pull would find. */
export interface CheckedViews {
  /** Rows that would be told, by view. */
  views: Partial<Record<FactResource, number>>
  /** All that is wrong with rows that would be refused. */
  refused: RowProblem[]
  /** What else is wrong with the views, or with the profile. */
  complaints: string[]
}

/** Reads all views and has the service check what they say; nothing is stored. Throws as a pull does. */
export async function checkViews(options: {
  url: string
  contract: Contract
  door: Door
  schema: string
  feed: string
  keeps: ReadonlySet<FactResource>
  allowsDeletes: boolean
}): Promise<CheckedViews> {
  const { url, contract, door, schema, feed, keeps, allowsDeletes } = options
  const db = await openGame(url, {
    name: 'chancery pull check',
    isReadOnly: true,
    silentMs: usualPacing.silentMs,
  })
  try {
    const reader = new ViewReader(db, contract, schema)
    const plan = await reader.inSnapshot(() =>
      planRound(reader, { schema, known: new Map(), keeps, allowsDeletes, retries: false, retryMs: 0 }),
    )
    const problem = await otherProfile(door, contract)
    const sent = await sendRound(door, plan, { feed, after: null, allowsDeletes, isCheck: true })
    const { refused } = sent
    return {
      views: Object.fromEntries(
        plan.views.map(({ view, items }) => [view.resource, items.filter(item => !refused.has(item)).length]),
      ),
      refused: [...refused.values()].flatMap(problemsOf),
      complaints: [
        ...complaintsOf(plan, schema),
        ...heldBackTexts(plan, sent).values(),
        ...(problem === undefined ? [] : [problem]),
      ],
    }
  } finally {
    await db.close()
  }
}
