import type { FactResource } from '@chancery/contract'
import { openViews } from '../game-database/open-views.ts'
import { profileMismatch } from '../profile-mismatch.ts'
import { defaultPacing } from '../retry-loop.ts'
import type { PullerOptions } from './puller.ts'
import { problemsOf, type RowProblem } from './round.ts'
import { heldBackTexts, planRound, type ViewPlan, warningsOf } from './round-plan.ts'
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
  /** What is valid, and perhaps not meant. */
  notes: string[]
}

export type CheckOptions = Omit<PullerOptions, 'log' | 'retryMs'> & { url: string }

/** Reads all views and has the service validate their facts; nothing is stored. Throws the errors of a pull. */
export async function checkViews(options: CheckOptions): Promise<CheckedViews> {
  const { url, contract, client, schema, feed, keptResources = new Set(), allowsDeletes } = options
  const views = await openViews(url, {
    name: 'chancery pull check',
    isReadOnly: true,
    idleTimeoutMs: defaultPacing.idleTimeoutMs,
  })
  try {
    const reader = new ViewReader(views, contract, schema)
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
      notes: [...(await views.notes()), ...plan.views.flatMap(textNotes)],
      warnings: [
        ...warningsOf(plan, schema),
        ...heldBackTexts(plan, sent).values(),
        ...(problem === undefined ? [] : [problem]),
      ],
    }
  } finally {
    await views.close()
  }
}

/** Texts that players would not want to see, and what causes them. */
const suspectTexts = [
  {
    pattern: /&(?:amp|lt|gt|quot|apos|nbsp|#0?39|#x27);/,
    what: 'HTML entities, which no reader decodes',
    advice: 'replace them in the view',
  },
  {
    pattern: /Ã[\u0080-\u00bf]|â\u20ac/,
    what: 'UTF-8 that was stored as Latin-1',
    advice: 'convert the column in the view',
  },
]

function textNotes({ view, items }: ViewPlan): string[] {
  return suspectTexts.flatMap(({ pattern, what, advice }) => {
    const found = items.filter(({ line }) => pattern.test(line))
    const [first] = found
    const count = found.length === 1 ? '1 row contains' : `${found.length} rows contain`
    return first
      ? [
          `${view.name}: ${count} ${what} (${view.resource} ${first.key}: ${pattern.exec(first.line)?.[0]}): ${advice}`,
        ]
      : []
  })
}
