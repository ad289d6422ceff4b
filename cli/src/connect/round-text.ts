import type { CheckedViews, DrainedBatch, RoundReport, ViewReport } from '@chancery/connect'
import { rejectionText } from '@chancery/contract'
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

function viewText(view: ViewReport): string {
  const { is_whole: isWhole, new: added, changed, deleted, aside, held_back: heldBack } = view
  const parts: [count: number | null, word: string][] = isWhole
    ? [[added, 'in all']]
    : [
        [added, 'new'],
        [changed, 'changed'],
        [deleted, 'deleted'],
      ]
  return [...parts, [aside, 'set aside'] as const, [heldBack, 'deletions held back'] as const]
    .filter(([count], index) => count !== 0 || (isWhole && index === 0))
    .map(([count, word]) => `${count === null ? 'an unknown number of' : grouped(count)} ${word}`)
    .join(' ')
}

const refusedText = ({ resource, key, path, ...problem }: Refusal): string =>
  oneLine(`${resource} ${key}: ${rejectionText({ ...problem, path: path.replace(/^\/data/, '') })}`)

/** What would become of a pull. */
export function checkText({ views, refused, complaints }: CheckedViews): string {
  return [
    ...complaints,
    ...refused.map(row => `refused: ${refusedText(row)}`),
    ...Object.entries(views).map(([resource, facts]) => `${resource}  ${counted(facts, 'fact')}`),
  ].join('\n')
}

const reasonsMax = 20

/** `12:00:05 3 facts applied, 2 events (outbox:…)`, and why not where they were refused. */
export function drainedText({ at, batch, status, facts, events, refused }: DrainedBatch): string {
  const what = {
    applied: `applied, ${counted(events, 'event')}`,
    duplicate: 'applied before',
    refused: 'refused: chancery refused shows them',
  }
  const reasons = refused
    .slice(0, reasonsMax)
    .map(refusal => oneLine(`  fact ${refusal.line}: ${rejectionText(refusal)}`))
  if (refused.length > reasonsMax) reasons.push(`  and ${refused.length - reasonsMax} more`)
  return [`${clock(at)} ${counted(facts, 'fact')} ${what[status]} (batch ${batch})`, ...reasons].join('\n')
}
