import type { CheckedViews, DrainedBatch, RoundReport, ViewReport } from '@chancery/connect'
import { counted, grouped } from '../numbers.ts'
import { oneLine } from '../stranger-text.ts'

const clock = (at: string) => at.slice(11, 19)

type Refusal = CheckedViews['refused'][number]

/** `12:00:05 nation 3 changed, war 1 new; batch … applied, 2 events`, and a line for each row that is set aside. */
export function roundText({ at, batch, events, views, refused }: RoundReport): string {
  const told = Object.entries(views).flatMap(([resource, view]) => {
    const text = viewText(view)
    return text === '' ? [] : [`${resource} ${text}`]
  })
  const sent = batch === null ? 'nothing applied' : `batch ${batch} applied, ${counted(events, 'event')}`
  return [
    `${clock(at)} ${told.length > 0 ? told.join(', ') : 'nothing new'}; ${sent}`,
    ...refused.map(row => `${clock(at)} set aside: ${refusedText(row)}`),
  ].join('\n')
}

function viewText({ is_whole: isWhole, new: added, changed, deleted, aside }: ViewReport): string {
  const parts: [count: number, word: string][] = isWhole
    ? [[added, 'in all']]
    : [
        [added, 'new'],
        [changed, 'changed'],
        [deleted, 'deleted'],
      ]
  return [...parts, [aside, 'set aside'] as const]
    .filter(([count], index) => count > 0 || (isWhole && index === 0))
    .map(([count, word]) => `${grouped(count)} ${word}`)
    .join(' ')
}

const refusedText = ({ resource, key, path, reason }: Refusal): string =>
  oneLine(`${resource} ${key}: ${path.replace(/^\/data/, '')} ${reason}`)

/** What would become of a pull. */
export function checkText({ views, refused, complaints }: CheckedViews): string {
  return [
    ...complaints,
    ...refused.map(row => `refused: ${refusedText(row)}`),
    ...Object.entries(views).map(([resource, facts]) => `${resource}  ${counted(facts, 'fact')}`),
  ].join('\n')
}

/** `12:00:05 3 facts applied, 2 events (outbox:…)`, and why not where they were refused. */
export function drainedText({ at, batch, status, facts, events, refused }: DrainedBatch): string {
  const what = {
    applied: `applied, ${counted(events, 'event')}`,
    duplicate: 'applied before',
    refused: 'refused: chancery refused shows them',
  }
  const reasons = refused.slice(0, 3).map(({ line, path, reason }) => `  fact ${line}: ${path} ${reason}`)
  return [`${clock(at)} ${counted(facts, 'fact')} ${what[status]} (batch ${batch})`, ...reasons].join('\n')
}
