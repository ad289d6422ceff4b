/** Why a fact was refused. */
export interface Refusal {
  /** In the stream, from 1; 0 where no line is at fault. */
  line: number
  path: string
  reason: string
  /** What stands there, shortened; only of what everybody may read. */
  value?: string
}

/** What became of one batch. */
export interface BatchOutcome {
  batch: string | null
  status: 'applied' | 'duplicate' | 'conflict' | 'refused' | 'overtaken' | 'unavailable'
  facts: number
  events: number
  /** Whether the operator finds it among the refused batches, with its facts. */
  is_kept: boolean
  /** The first hundred. */
  refused: Refusal[]
}

export interface SendOptions {
  /** Say what would become of it, and store nothing. */
  isCheck?: boolean
  /** false: what is refused is not kept for the operator. */
  isKept?: boolean
}

/**
 * The operator's door of the running service. Whoever runs a puller brings one.
 * Both throw ServiceAway where the service cannot be asked now, and other errors where asking again does not help.
 */
export interface Door {
  /** Sends NDJSON and yields what became of each batch. */
  send(facts: AsyncIterable<string>, options?: SendOptions): AsyncIterable<BatchOutcome>
  /** One small call and its JSON answer; undefined where there is no such thing. */
  call(method: 'GET' | 'DELETE', path: string): Promise<unknown>
}
