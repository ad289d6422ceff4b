import { randomUUID } from 'node:crypto'
import { type FactResource, rejectionText } from '@chancery/contract'
import { ConnectError, GameDataError } from '../errors.ts'
import { commitLine, type ServiceClient, sendBatch } from '../service-client.ts'
import { type RowProblem, ruleOf } from './round.ts'
import type { ViewReader } from './view-reader.ts'

/** Rows that are rejected for the same reason. */
export interface ProblemKind {
  resource: FactResource
  /** JSON pointer into the fact; list positions are `*`. */
  path: string
  reason: string
  rows: number
  /** The keys and messages of some. */
  examples: { key: string; text: string }[]
}

export interface CheckedSample {
  /** Rows that were read, by view. */
  views: Partial<Record<FactResource, number>>
  refused: ProblemKind[]
  /** Views that cannot be read, a sentence each. */
  warnings: string[]
}

/** Rows of each view in a sample. */
const sampleMax = 200
const examplesMax = 3
/** More problems than these are reported when the first are fixed. */
const requestsMax = 40

/**
 * Reads some rows of each view and has the service validate their facts, so that a mistake in a view shows within seconds, whatever its
 * size. All mistakes of all views are found at once. References are not: a sample lacks most of what its rows refer to.
 */
export async function checkSample(
  reader: ViewReader,
  client: ServiceClient,
  { max = sampleMax } = {},
): Promise<CheckedSample> {
  const { resources } = await reader.find()
  const views: CheckedSample['views'] = {}
  const warnings: string[] = []
  let rows: { resource: FactResource; key: string; line: string }[] = []
  for (const resource of resources)
    try {
      const { lines } = await reader.sample(resource, max)
      views[resource] = lines.size
      for (const [key, line] of lines) rows.push({ resource, key, line })
    } catch (err) {
      if (!(err instanceof ConnectError || err instanceof GameDataError)) throw err
      const isOfColumns = err instanceof ConnectError
      warnings.push(
        ...(isOfColumns ? err.message.split('\n') : [`${resource} cannot be read: ${err.message}`]),
      )
    }
  const problems: RowProblem[] = []
  for (let request = 0; request < requestsMax && rows.length > 0; request += 1) {
    const lines = [...rows.map(({ line }) => line), commitLine(randomUUID())]
    const { refused } = await sendBatch(client, lines, { isCheck: true })
    const named = refused.filter(({ line, reason }) => line > 0 && !isReference(reason))
    if (named.length === 0) break
    const rejected = new Set<(typeof rows)[number]>()
    for (const { line, path, reason, value } of named) {
      const row = rows[line - 1]
      if (!row) continue
      rejected.add(row)
      problems.push({
        resource: row.resource,
        key: row.key,
        path,
        reason,
        ...(value === undefined ? {} : { value }),
      })
    }
    rows = rows.filter(row => !rejected.has(row))
  }
  return { views, refused: kindsOf(problems), warnings }
}

const isReference = (reason: string) => reason.startsWith('there is no ')

/** The rule and the reason, without the id that a reference names. */
const kindOf = (problem: RowProblem) =>
  `${ruleOf(problem)} ${problem.reason.replace(/^(there is no \S+) \S+$/, '$1')}`

/** Problems by kind, those of most rows first. */
export function kindsOf(problems: readonly RowProblem[]): ProblemKind[] {
  const kinds = [...Map.groupBy(problems, kindOf).values()].flatMap((same): ProblemKind[] => {
    const [first] = same
    if (!first) return []
    const byKey = new Map(same.map(problem => [problem.key, problem]))
    return [
      {
        resource: first.resource,
        path: first.path.replace(/\/\d+/g, '/*'),
        reason: first.reason,
        rows: byKey.size,
        examples: [...byKey.values()].slice(0, examplesMax).map(({ key, path, reason, value }) => ({
          key,
          text: rejectionText({
            path: path.replace(/^\/data/, ''),
            reason,
            ...(value === undefined ? {} : { value }),
          }),
        })),
      },
    ]
  })
  return kinds.toSorted((one, other) => other.rows - one.rows)
}

/** Whether a view must be wrong, and not a row: reading all rows would say the same. */
export const isViewWrong = ({ views, refused, warnings }: CheckedSample): boolean =>
  warnings.length > 0 || refused.some(({ resource, rows }) => rows * 10 > (views[resource] ?? 0))
