import type { FactResource } from '@chancery/contract'
import { openGame } from '../game-database.ts'
import { profileMismatch } from '../profile-mismatch.ts'
import { defaultPacing } from '../retry-loop.ts'
import type { PullerOptions } from './puller.ts'
import { problemsOf, type RowProblem } from './round.ts'
import { heldBackTexts, planRound, warningsOf } from './round-plan.ts'
import { sendRound } from './send-round.ts'
import { ViewReader } from './view-reader.ts'

/** The result of a check. */
export interface CheckedViews {
  /** Rows that would be sent, by view. */
  views: Partial<Record<FactResource, number>>
  /** All problems of rows that would be rejected. */
  refused: RowProblem[]
  /** Other problems of the views or the profile. */
  warnings: string[]
}

export type CheckOptions = Omit<PullerOptions, 'log' | 'retryMs'> & { url: string }

/** Reads all views and has the service validate their facts; nothing is stored. Throws the errors of a pull. */
export async function checkViews(options: CheckOptions): Promise<CheckedViews> {
  const { url, contract, client, schema, feed, keptResources = new Set(), allowsDeletes } = options
  const db = await openGame(url, {
    name: 'chancery pull check',
    isReadOnly: true,
    idleTimeoutMs: defaultPacing.idleTimeoutMs,
  })
  try {
    const reader = new ViewReader(db, contract, schema)
    const plan = await reader.inSnapshot(() =>
      planRound(reader, {
        schema,
        known: new Map(),
        keptResources,
        allowsDeletes,
        retries: false,
        retryMs: 0,
      }),
    )
    const problem = await profileMismatch(client, contract)
    const sent = await sendRound(client, plan, { feed, after: null, allowsDeletes, isCheck: true })
    const { rejected } = sent
    return {
      views: Object.fromEntries(
        plan.views.map(({ view, items }) => [
          view.resource,
          items.filter(item => !rejected.has(item)).length,
        ]),
      ),
      refused: [...rejected.values()].flatMap(problemsOf),
      warnings: [
        ...warningsOf(plan, schema),
        ...heldBackTexts(plan, sent).values(),
        ...(problem === undefined ? [] : [problem]),
      ],
    }
  } finally {
    await db.close()
  }
}
