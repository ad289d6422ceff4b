/** Why a fact was rejected. */
export interface RejectedFact {
  /** Its position in the batch, from 1; 0 if the reason is not about a single fact. */
  line: number
  /** JSON pointer into the fact. */
  path: string
  reason: string
  /** The invalid value as JSON, shortened. */
  value?: string
}

/** What the service did with a batch. */
export interface Outcome {
  batch: string | null
  /** `applied`, `duplicate` (it was applied before), or why it was not applied: `refused`, `conflict`. Statuses may be added. */
  status: 'applied' | 'duplicate' | 'refused' | 'conflict' | 'overtaken' | 'unavailable' | (string & {})
  facts: number
  /** How many facts the service stores until they fit; absent from earlier versions of it. */
  set_aside?: number
  /** Number of events that it added to the log. */
  events: number | null
  last_seq: number | null
  refused: RejectedFact[]
  /** Whether the service keeps the rejected batch, where `chancery refused` shows it. */
  is_kept: boolean
}

export const isApplied = ({ status }: Outcome): boolean => status === 'applied' || status === 'duplicate'
