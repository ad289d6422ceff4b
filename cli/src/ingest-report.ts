import { type BatchOutcome, type BatchStatus, type Rejection, rejectionText } from '@chancery/contract'
import { formatCount, formatDuration, formatRate } from './format.ts'

interface ReportedRejection extends Rejection {
  batch: string | null
  file: string
}

/** The outcomes of a run of `chancery ingest`, as text and as a JSON document. */
export class IngestReport {
  #batches: (Omit<BatchOutcome, 'refused'> & { file: string })[] = []
  #rejected: ReportedRejection[] = []
  #startedAt = performance.now()
  readonly isCheck: boolean

  constructor(isCheck: boolean) {
    this.isCheck = isCheck
  }

  add(file: string, { refused: rejections, ...outcome }: BatchOutcome) {
    this.#batches.push({ file, ...outcome })
    const { batch, status } = outcome
    const isExplained = rejections.length > 0 || status === 'applied' || status === 'duplicate'
    const explained = isExplained ? rejections : [{ line: 0, path: '', reason: reasons[status] }]
    for (const rejection of explained) this.#rejected.push({ batch, file, ...rejection })
  }

  get batchCount() {
    return this.#batches.length
  }

  get hasApplied() {
    return this.#count('applied') > 0
  }

  get facts() {
    return this.#sum('facts')
  }

  get elapsedMs() {
    return performance.now() - this.#startedAt
  }

  get failureCount() {
    return this.batchCount - this.#count('applied') - this.#count('duplicate')
  }

  failureText(): string {
    const stored = this.isCheck ? 'would not be stored' : 'not stored'
    return `${formatCount(this.failureCount, 'batch', 'batches')} of ${this.batchCount} ${stored}`
  }

  document() {
    return {
      batches: this.#batches,
      facts: this.facts,
      set_aside: this.#sum('set_aside'),
      events: this.#lacksEventCount ? null : this.#sum('events'),
      refused: this.#rejected,
    }
  }

  text(): string {
    const time = this.elapsedMs
    const speed = `${formatDuration(time)} (${formatRate(this.facts, time)} facts/s)`
    const others: BatchStatus[] = ['duplicate', 'refused', 'conflict', 'overtaken', 'unavailable']
    const counts = others
      .filter(status => status === 'duplicate' || status === 'refused' || this.#count(status) > 0)
      .map(status => `, ${this.#count(status)} ${statusWords[status]}`)
    return [
      ...this.#rejected.map(reportedText),
      `${formatCount(this.#count('applied'), 'batch', 'batches')} ${this.isCheck ? 'would be applied' : 'applied'}${counts.join('')}`,
      this.#lacksEventCount
        ? `${formatCount(this.facts, 'fact')} in ${speed}; event count requires the role admin`
        : `${formatCount(this.facts, 'fact')}, ${formatCount(this.#sum('events'), 'event')} in ${speed}`,
      ...this.#setAsideText(),
    ].join('\n')
  }

  #setAsideText(): string[] {
    const count = this.#sum('set_aside')
    if (count === 0) return []
    const facts = formatCount(count, 'fact')
    return [
      this.isCheck
        ? `${facts} would be set aside`
        : `${facts} set aside, and applied as soon as they fit: chancery refused list`,
    ]
  }

  /** A check counts no events for a token without the role `admin`. */
  get #lacksEventCount(): boolean {
    return this.#batches.some(({ status, events }) => status === 'applied' && events === null)
  }

  #count(status: BatchStatus): number {
    return this.#batches.filter(batch => batch.status === status).length
  }

  /** Without duplicates, which have the counts of their first run. */
  #sum(member: 'facts' | 'set_aside' | 'events'): number {
    const applied = this.#batches.filter(batch => batch.status === 'applied')
    return applied.reduce((sum, batch) => sum + (batch[member] ?? 0), 0)
  }
}

export const statusWords: Record<BatchStatus, string> = {
  applied: 'applied',
  duplicate: 'applied before',
  refused: 'rejected',
  conflict: 'in conflict',
  overtaken: 'out of sequence',
  unavailable: 'unknown',
}

const reasons: Record<BatchStatus, string> = {
  applied: '',
  duplicate: '',
  refused: 'rejected without a reason',
  conflict: 'another batch was applied under this id',
  overtaken: 'out of sequence: the feed is not at the batch that this one follows',
  unavailable: 'the database was unavailable: send the batch again',
}

/** In the form of compiler messages, so that editors find the line. */
function reportedText({ batch, file, line, path, ...problem }: ReportedRejection): string {
  const place = line > 0 ? `${file}:${line}` : file
  const name = batch === null ? 'batch without a commit' : `batch ${batch}`
  return `${place}  ${path === '' ? '' : `${path}  `}${rejectionText({ ...problem, path: '' })}  (${name})`
}
