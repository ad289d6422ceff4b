import type { FactResource } from '@chancery/contract'
import { type GameViews, touchedTable } from '../game-database/game-views.ts'
import { openViews } from '../game-database/open-views.ts'
import { profileMismatch } from '../profile-mismatch.ts'
import { defaultPacing } from '../retry-loop.ts'
import { type CheckedSample, checkSample, isViewWrong, kindsOf, type ProblemKind } from './check-sample.ts'
import type { PullerOptions } from './puller.ts'
import { problemsOf, type RowProblem } from './round.ts'
import { heldBackTexts, planRound, type ViewPlan, warningsOf } from './round-plan.ts'
import { sendRound } from './send-round.ts'
import { ViewReader } from './view-reader.ts'

/** The result of a check. */
export interface CheckedViews {
  /** Rows that would be sent, by view. */
  views: Partial<Record<FactResource, number>>
  /** All problems of rows that would be rejected; of a sample see `kinds`. */
  refused: RowProblem[]
  /** The same, by reason. */
  kinds: ProblemKind[]
  /** Other problems of the views or the profile. */
  warnings: string[]
  /** What is valid, and perhaps not meant. */
  notes: string[]
  /** Only some rows were read. */
  isSample: boolean
}

export type CheckOptions = Omit<PullerOptions, 'log' | 'retryMs'> & {
  url: string
  /** Called with the sample, before all rows are read. */
  reportSample?(sample: CheckedSample): void
  /** All rows are read only if the sample finds no view that is wrong, and never if this is true. */
  isSample?: boolean
}

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
    const problem = await profileMismatch(client, contract)
    const sample = await reader.inSnapshot(() => checkSample(reader, client))
    options.reportSample?.(sample)
    if (options.isSample || isViewWrong(sample))
      return {
        views: sample.views,
        refused: [],
        warnings: [...sample.warnings, ...(problem === undefined ? [] : [problem])],
        notes: [],
        isSample: true,
        kinds: sample.refused,
      }
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
    const sent = await sendRound(client, plan, { feed, after: null, allowsDeletes, isCheck: true })
    const { rejected } = sent
    const refused = [...rejected.values()].flatMap(problemsOf)
    return {
      isSample: false,
      kinds: kindsOf(refused),
      views: Object.fromEntries(
        plan.views.map(({ view, items }) => [
          view.resource,
          items.filter(item => !rejected.has(item)).length,
        ]),
      ),
      refused,
      notes: [...(await views.notes()), ...plan.views.flatMap(textNotes)],
      warnings: [
        ...(plan.touched ? await touchedProblem(views, schema) : []),
        ...warningsOf(plan, schema),
        ...heldBackTexts(plan, sent).values(),
        ...(problem === undefined ? [] : [problem]),
      ],
    }
  } finally {
    await views.close()
  }
}

/** The puller deletes the keys that it has read. */
async function touchedProblem(views: GameViews, schema: string): Promise<string[]> {
  try {
    // No row has this number.
    await views.deleteTouched(schema, ['0'])
    return []
  } catch (err) {
    return [
      `the keys in ${schema}.${touchedTable} cannot be deleted: grant select and delete on it (${err instanceof Error ? err.message : err})`,
    ]
  }
}

/** Texts that players would not want to see, and what causes them. */
const suspectTexts = [
  {
    pattern: /&(?:[a-z]{2,8}\d{0,2}|#\d{1,6}|#x[\da-f]{1,6});/i,
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
