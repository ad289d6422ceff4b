import type { Outcome } from './outcome.ts'

/** The service rejected a batch: nothing of it was applied, and sending the same facts again does not help. */
export class BatchRejectedError extends Error {
  override name = 'BatchRejectedError'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(describe(outcome))
    this.outcome = outcome
  }
}

/** More facts wait to be sent than the queue may contain. The facts of this call were not taken. */
export class QueueFullError extends Error {
  override name = 'QueueFullError'
}

/** The spool folder cannot be used. */
export class SpoolError extends Error {
  override name = 'SpoolError'
}

const shownMax = 3

function describe({ batch, status, refused, is_kept }: Outcome): string {
  const reasons = refused.slice(0, shownMax).map(({ line, path, reason, value }) => {
    const place = line > 0 ? `line ${line}${path ? ` ${path}` : ''}` : path
    return `${place ? `${place}: ` : ''}${reason}${value === undefined ? '' : ` (it is ${value})`}`
  })
  const others = refused.length > shownMax ? [`and ${refused.length - shownMax} more`] : []
  const kept = is_kept ? '; the service keeps it: chancery refused list' : ''
  return `batch ${batch} was rejected (${status}): ${[...reasons, ...others].join('; ') || 'without a reason'}${kept}`
}
